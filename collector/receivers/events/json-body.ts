import { Fault } from '../../../core/event/fault.js';
import { HeldBody } from '../held-body.js';
import type { HeldBytes } from '../ingest-memory.js';
import { isJsonSpace, OPEN_BRACKET, withoutByteOrderMark } from '../json-bytes.js';
import { type ElementSpan, JsonArrayScanner } from './json-array-scanner.js';

/** Bounds of a JSON body. */
type Bounds = Record<'maxEvents' | 'maxEventBytes', number>;

/**
 * A JSON body while it arrives: one value, or an array whose elements are found without parsing them.
 * It is kept whole until its end is seen, because nothing of a body that is not JSON may be stored.
 */
export class JsonBody {
  readonly #options: Bounds;
  readonly #body: HeldBody;
  readonly #spans: ElementSpan[] = [];
  #scanner: JsonArrayScanner | undefined;
  #isBlank = true;

  constructor(held: HeldBytes, options: Bounds) {
    this.#options = options;
    this.#body = new HeldBody(held);
  }

  /** True while nothing but white space arrived. */
  get isBlank(): boolean {
    return this.#isBlank;
  }

  /** Throws `MALFORMED_JSON`, `EVENT_TOO_LARGE`, `TOO_MANY_EVENTS` and `RECEIVER_BUSY`, as early as the bytes tell. */
  push(chunk: Buffer): void {
    const bytes = this.#body.bytes === 0 ? withoutByteOrderMark(chunk) : chunk;
    const offset = this.#body.bytes;
    this.#body.add(bytes);
    if (this.#isBlank) this.#begin(bytes, offset);
    else this.#scanner?.push(bytes);
    const { maxEventBytes } = this.#options;
    if (this.#scanner === undefined && !this.#isBlank && this.#body.bytes > maxEventBytes)
      throw new Fault(
        'EVENT_TOO_LARGE',
        `one event takes ${maxEventBytes} bytes: send less, or many events as application/x-ndjson`,
      );
  }

  /** The elements of the array, each once; undefined when the body is one value. Throws `MALFORMED_JSON` when the array did not end. */
  elements(): Iterable<Buffer> | undefined {
    if (this.#scanner === undefined) return undefined;
    this.#scanner.end();
    return this.#takeElements();
  }

  /** Its first bytes, as far as they arrived; not after an element was taken. */
  start(maxBytes: number): Buffer {
    return this.#body.slice(0, Math.min(maxBytes, this.#body.bytes));
  }

  /** Bytes that arrived so far. */
  get length(): number {
    return this.#body.bytes;
  }

  #begin(bytes: Buffer, offset: number): void {
    const start = bytes.findIndex((byte) => !isJsonSpace(byte));
    if (start === -1) return;
    this.#isBlank = false;
    if (bytes[start] !== OPEN_BRACKET) return;
    this.#scanner = new JsonArrayScanner(offset + start, (span) => {
      if (this.#spans.length >= this.#options.maxEvents) throw tooManyEvents(this.#options.maxEvents);
      this.#spans.push(span);
    });
    this.#scanner.push(bytes.subarray(start));
  }

  *#takeElements(): Generator<Buffer> {
    for (const { start, end } of this.#spans) yield this.#body.slice(start, end);
  }
}

/** The fault for a request with more events than one may have. */
export function tooManyEvents(maxEvents: number): Fault {
  const sentence = `one request takes ${maxEvents} events: send the others in further requests`;
  return new Fault('TOO_MANY_EVENTS', sentence);
}
