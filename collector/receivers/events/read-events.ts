import type { IncomingMessage } from 'node:http';
import { quoted } from '../../../config/values/printable.js';
import { Fault } from '../../../core/event/fault.js';
import { isJsonSpace, OPEN_BRACKET, withoutByteOrderMark } from '../../../core/event/json-bytes.js';
import { MAX_CONTENT_BYTES } from '../../../core/storage/dead-letters/encode-content.js';
import { MAX_BATCH_BYTES, MAX_BATCH_EVENTS } from '../../component/consumer.js';
import { HeldBody, type RequestMemory } from '../../component/ingest-memory.js';
import { RequestFault } from '../../http/messages/http-fault.js';
import { readBody } from '../../http/messages/read-body.js';
import { LineSplitter } from '../intake/line-splitter.js';
import { emptyBody, tooManyEvents } from './body-faults.js';
import type { EventRequest, EventRequestOptions } from './event-request.js';
import { type ElementSpan, JsonArrayScanner } from './json-array-scanner.js';

/** The readers of a body by media type; without one the body is JSON. */
const READERS: ReadonlyMap<string, typeof readJson> = new Map([
  ['', readJson],
  ['application/json', readJson],
  ['application/x-ndjson', readNdjson],
  // The type that `navigator.sendBeacon` and `fetch` set for a string.
  ['text/plain', readJson],
]);

/** Reads the body of a request by its content type and accepts its events. Throws `CONTENT_TYPE_UNSUPPORTED`, what `readBody` and `EventRequest` throw, and `BODY_EMPTY`. */
export async function readEvents(
  request: IncomingMessage,
  events: EventRequest,
  held: RequestMemory,
  options: EventRequestOptions,
): Promise<void> {
  const mediaType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const read = READERS.get(mediaType);
  if (read === undefined) {
    const sentence = `content type ${quoted(mediaType)} is not supported: send application/json or application/x-ndjson`;
    throw new RequestFault('CONTENT_TYPE_UNSUPPORTED', sentence, {
      headers: { accept: 'application/json, application/x-ndjson' },
    });
  }
  await read(request, events, held, options);
}

/** Reads one event per line and accepts events while the body arrives. An invalid line is one rejection; blank lines are skipped. */
async function readNdjson(
  request: IncomingMessage,
  events: EventRequest,
  held: RequestMemory,
  options: EventRequestOptions,
): Promise<void> {
  const splitter = new LineSplitter(options.maxEventBytes, held);
  const batch = new TextBatch();
  const acceptBatch = async (): Promise<void> => {
    const { bytes } = batch;
    await acceptTexts(batch.drain(), events);
    held.release(bytes);
  };
  const addLines = (lines: Iterable<Buffer | undefined>): undefined | Promise<void> => {
    for (const line of lines) {
      if (line?.every(isJsonSpace)) continue;
      held.acquire(line?.length ?? 0);
      batch.add(line);
    }
    return batch.isFull ? acceptBatch() : undefined;
  };
  let isFirst = true;
  const onChunk = (chunk: Buffer): undefined | Promise<void> => {
    const bytes = isFirst ? withoutByteOrderMark(chunk) : chunk;
    isFirst = false;
    return addLines(splitter.push(bytes));
  };
  try {
    const bodyBytes = await readBody(request, options, onChunk, { held });
    if (bodyBytes === 0) throw emptyBody();
    await addLines(splitter.end());
  } finally {
    // Complete lines are accepted also if the request failed.
    await acceptBatch();
  }
}

/** Reads one event or an array. Nothing is accepted before the body is known to be complete; then an invalid element is one rejection. */
async function readJson(
  request: IncomingMessage,
  events: EventRequest,
  held: RequestMemory,
  options: EventRequestOptions,
): Promise<void> {
  const body = new JsonBody(held, options);
  let isComplete = false;
  try {
    const onLength = (bytes: number): void => held.expect(bytes);
    await readBody(request, options, (chunk) => body.push(chunk), { held, onLength });
    isComplete = true;
    if (body.isBlank) throw emptyBody();
    const elements = body.elements();
    if (elements === undefined) await events.acceptBody(body.prefix(body.length));
    else await acceptElements(elements, events);
  } catch (error) {
    if (error instanceof Fault && error.code === 'MALFORMED_JSON') {
      const bytes = isComplete ? body.length : declaredBytes(request);
      events.setMalformedBody({ received: body.prefix(MAX_CONTENT_BYTES), bytes });
    }
    throw error;
  }
}

async function acceptElements(elements: Iterable<Buffer>, events: EventRequest): Promise<void> {
  const batch = new TextBatch();
  for (const element of elements) {
    batch.add(element);
    if (batch.isFull) await acceptTexts(batch.drain(), events);
  }
  await acceptTexts(batch.drain(), events);
}

async function acceptTexts(texts: readonly (Buffer | undefined)[], events: EventRequest): Promise<void> {
  if (texts.length > 0) await events.acceptBatch(texts);
}

/** Size of a body that was not read to its end; null if it is chunked or compressed. */
function declaredBytes({ headers }: IncomingMessage): number | null {
  const declared = headers['content-length'];
  return declared === undefined || headers['content-encoding'] !== undefined ? null : Number(declared);
}

/** Texts of events to parse at once: parsed on arrival, events of all connections would live long enough for the garbage collector to copy them. */
class TextBatch {
  #texts: (Buffer | undefined)[] = [];
  bytes = 0;

  /** Undefined stands for a text that is too long. */
  add(text: Buffer | undefined): void {
    this.#texts.push(text);
    this.bytes += text?.length ?? 0;
  }

  get isFull(): boolean {
    return this.#texts.length >= MAX_BATCH_EVENTS || this.bytes >= MAX_BATCH_BYTES;
  }

  /** Returns the texts and empties the batch. */
  drain(): readonly (Buffer | undefined)[] {
    const texts = this.#texts;
    this.#texts = [];
    this.bytes = 0;
    return texts;
  }
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
    const isOneEvent = this.#scanner === undefined && !this.isBlank;
    if (isOneEvent && this.#body.bytes > maxEventBytes) {
      throw new Fault(
        'EVENT_TOO_LARGE',
        `an event may have ${maxEventBytes} bytes: send less, or many events as application/x-ndjson`,
      );
    }
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
