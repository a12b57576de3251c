import type { IncomingMessage } from 'node:http';
import { Fault } from '../../../core/event/fault.js';
import { parseJson } from '../../../core/event/json.js';
import { isJsonSpace, OPEN_BRACKET, withoutByteOrderMark } from '../../../core/event/json-bytes.js';
import { MAX_CONTENT_BYTES } from '../../../core/storage/dead-letters/encode-content.js';
import { HeldBody, type RequestMemory } from '../../component/ingest-memory.js';
import { readBody } from '../../http/messages/read-body.js';
import type { SerialQueue } from '../intake/serial-queue.js';
import { describeJsonError, emptyBody, malformedJson, tooManyEvents } from './body-faults.js';
import type { EventRequest, EventRequestOptions } from './event-request.js';
import { type ElementSpan, JsonArrayScanner } from './json-array-scanner.js';
import { acceptLines, LineBatch } from './read-ndjson-events.js';

/** Accepts a body that is one event or an array. Nothing is forwarded before the body is known to be complete; then an invalid element is one rejection. */
export async function readJsonEvents(
  request: IncomingMessage,
  events: EventRequest,
  held: RequestMemory,
  options: EventRequestOptions,
): Promise<void> {
  const body = new JsonBody(held, options);
  let isComplete = false;
  try {
    const onChunk = (chunk: Buffer): void => body.push(chunk);
    await readBody(request, options, onChunk, { held, onLength: (bytes) => held.expect(bytes) });
    isComplete = true;
    if (body.isBlank) throw emptyBody();
    const elements = body.elements();
    if (elements === undefined) {
      await events.accept(body.prefix(body.length), refuseBody);
      await events.deliver();
    } else await acceptEach(elements, events, options.parseQueue);
  } catch (error) {
    if (error instanceof Fault && error.code === 'MALFORMED_JSON') {
      const bytes = isComplete ? body.length : declaredBytes(request);
      events.setMalformedBody(body.prefix(MAX_CONTENT_BYTES), bytes);
    }
    throw error;
  }
}

function refuseBody(error: unknown, text: string): never {
  const { reason, position } = describeJsonError(error, text);
  const hint = isNdjson(text) ? '; it looks like one event per line: send it as application/x-ndjson' : '';
  throw malformedJson(reason + hint, position);
}

async function acceptEach(elements: Iterable<Buffer>, events: EventRequest, turns: SerialQueue): Promise<void> {
  const batch = new LineBatch();
  for (const bytes of elements) {
    batch.add(bytes);
    if (batch.isFull) await acceptLines(batch.drain(), events, turns);
  }
  await acceptLines(batch.drain(), events, turns);
}

/** Whether the first of several lines is a JSON text. */
function isNdjson(text: string): boolean {
  const [line, ...rest] = text.trimStart().split('\n', 2);
  return line !== undefined && rest.length > 0 && parseJson(line) !== undefined;
}

/** Size of a body that was not read to its end; null if it is chunked or compressed. */
function declaredBytes({ headers }: IncomingMessage): number | null {
  const declared = headers['content-length'];
  return declared === undefined || headers['content-encoding'] !== undefined ? null : Number(declared);
}

/** A JSON body while it arrives, one value or an array. Held until it is complete, because nothing of a body that is not JSON may be stored. */
class JsonBody {
  readonly #options: EventRequestOptions;
  readonly #body: HeldBody;
  readonly #spans: ElementSpan[] = [];
  #scanner: JsonArrayScanner | undefined;
  /** True while only white space arrived. */
  isBlank = true;

  constructor(held: RequestMemory, options: EventRequestOptions) {
    this.#options = options;
    this.#body = new HeldBody(held);
  }

  /** Throws `MALFORMED_JSON`, `EVENT_TOO_LARGE`, `TOO_MANY_EVENTS` and `RECEIVER_BUSY`, as early as possible. */
  push(chunk: Buffer): void {
    const bytes = this.#body.bytes === 0 ? withoutByteOrderMark(chunk) : chunk;
    const offset = this.#body.bytes;
    this.#body.add(bytes);
    if (this.isBlank) this.#begin(bytes, offset);
    else this.#scanner?.push(bytes);
    const { maxEventBytes } = this.#options;
    if (this.#scanner === undefined && !this.isBlank && this.#body.bytes > maxEventBytes)
      throw new Fault(
        'EVENT_TOO_LARGE',
        `an event may have ${maxEventBytes} bytes: send less, or many events as application/x-ndjson`,
      );
  }

  /** The elements of the array, to iterate once; undefined if the body is one value. Throws `MALFORMED_JSON` if the array did not end. */
  elements(): Iterable<Buffer> | undefined {
    if (this.#scanner === undefined) return undefined;
    this.#scanner.end();
    return this.#sliceElements();
  }

  /** The first bytes received; not after `elements` was iterated. */
  prefix(maxBytes: number): Buffer {
    return this.#body.slice(0, Math.min(maxBytes, this.#body.bytes));
  }

  get length(): number {
    return this.#body.bytes;
  }

  #begin(bytes: Buffer, offset: number): void {
    const start = bytes.findIndex((byte) => !isJsonSpace(byte));
    if (start === -1) return;
    this.isBlank = false;
    if (bytes[start] !== OPEN_BRACKET) return;
    this.#scanner = new JsonArrayScanner(offset + start, (span) => {
      if (this.#spans.length >= this.#options.maxEvents) throw tooManyEvents(this.#options.maxEvents);
      this.#spans.push(span);
    });
    this.#scanner.push(bytes.subarray(start));
  }

  *#sliceElements(): Generator<Buffer> {
    for (const { start, end } of this.#spans) yield this.#body.slice(start, end);
  }
}
