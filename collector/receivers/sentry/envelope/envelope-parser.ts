import { quoted } from '../../../../config/values/printable.js';
import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject } from '../../../../core/event/json.js';
import type { HeldBody } from '../../../component/ingest-memory.js';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Header lines of SDKs are below 2 KiB. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Parses a header line; undefined for a blank one. `of` names its owner. Throws `ENVELOPE_MALFORMED`. */
function parseHeaderLine(line: Buffer, of: string): JsonObject | undefined {
  let text: string | undefined;
  try {
    text = UTF8.decode(line);
    if (text.trim() === '') return undefined;
    const header: unknown = JSON.parse(text);
    if (isJsonObject(header)) return header;
  } catch (cause) {
    throw malformedEnvelope(
      `the header of ${of} is not ${text === undefined ? 'UTF-8' : `JSON: ${quoted(text)}`}`,
      cause,
    );
  }
  throw malformedEnvelope(`the header of ${of} is not a JSON object: ${quoted(text)}`);
}

function lengthOf(header: JsonObject, of: string): number | undefined {
  const length = header['length'] ?? undefined;
  if (length === undefined) return undefined;
  if (typeof length === 'number' && Number.isSafeInteger(length) && length >= 0) return length;
  throw malformedEnvelope(`the length of ${of} is not a number of bytes`);
}

/** Receives the parts of an envelope in order. A throw from `header` ends the parsing. */
interface EnvelopeSink<Type> {
  header(header: JsonObject): void;
  /** A complete item of a wanted type, without its payload if it exceeds its bound. */
  item(type: Type, payload: Buffer | undefined, bytes: number): void;
  /** An item of any other type. */
  skipped(isMinidump: boolean): void;
}

interface ItemInProgress<Type> {
  readonly header: JsonObject;
  /** Undefined for a type that is not wanted, as is `maxBytes`. */
  readonly type: Type | undefined;
  readonly maxBytes: number | undefined;
  /** Undefined for an item that ends at a line break. */
  readonly length: number | undefined;
  bytes: number;
}

const LINE_FEED = 0x0a;
/** `attachment_type` of a minidump. */
const MINIDUMP = 'event.minidump';
/** SDKs send at most a few hundred. */
const MAX_ITEMS = 10_000;

/**
 * Parses an envelope while it arrives (https://develop.sentry.dev/sdk/foundations/transport/envelopes/). Buffers only payloads of wanted types.
 * Order: `push` for each chunk, `end`.
 */
export class EnvelopeParser<Type extends string> {
  readonly #wanted: ReadonlyMap<Type, number>;
  /** Of the current header or payload. */
  readonly #pieces: HeldBody;
  readonly #sink: EnvelopeSink<Type>;
  #state: 'header' | 'payload' | 'separator' = 'header';
  #isEnvelopeHeaderRead = false;
  /** Number of items whose header was read. */
  #items = 0;
  #item: ItemInProgress<Type> | undefined;

  /** `wanted`: types with the most bytes of their payloads. */
  constructor(wanted: ReadonlyMap<Type, number>, pieces: HeldBody, sink: EnvelopeSink<Type>) {
    this.#wanted = wanted;
    this.#pieces = pieces;
    this.#sink = sink;
  }

  /** Parses the next bytes, which must not change afterwards. */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === 'header') at = this.#readHeader(chunk, at);
      else if (this.#item !== undefined) at = this.#readPayload(this.#item, chunk, at);
      else at = this.#readSeparator(chunk, at);
    }
  }

  /** The end of the body. */
  end(): void {
    if (this.#item?.length !== undefined) {
      const { bytes, length } = this.#item;
      throw malformedEnvelope(`it ends after ${bytes} of the ${length} bytes of item ${this.#items}`);
    }
    if (this.#item !== undefined) this.#endItem(this.#item);
    else if (this.#pieces.bytes > 0) this.#endInHeader();
    else if (!this.#isEnvelopeHeaderRead) throw new Fault('BODY_EMPTY', 'the body is empty: send an envelope');
  }

  /** The last line of the body is a header without a line break. */
  #endInHeader(): void {
    const header = this.#parseHeader(Buffer.alloc(0));
    if (!this.#isEnvelopeHeaderRead) this.#beginEnvelope(header);
    else if (header !== undefined) throw malformedEnvelope(`it ends after the header of ${this.#place}`);
  }

  /** Names the current header or payload in error messages. */
  get #place(): string {
    if (!this.#isEnvelopeHeaderRead) return 'the envelope';
    return `item ${this.#items + (this.#state === 'header' ? 1 : 0)}`;
  }

  #readHeader(chunk: Buffer, at: number): number {
    const lineEnd = chunk.indexOf(LINE_FEED, at);
    const end = lineEnd === -1 ? chunk.length : lineEnd;
    if (this.#pieces.bytes + end - at > MAX_HEADER_BYTES) {
      throw malformedEnvelope(`the header of ${this.#place} is longer than ${MAX_HEADER_BYTES} bytes`);
    }
    const part = chunk.subarray(at, end);
    if (lineEnd === -1) {
      this.#pieces.add(part);
      return end;
    }
    const header = this.#parseHeader(part);
    if (!this.#isEnvelopeHeaderRead) this.#beginEnvelope(header);
    else if (header !== undefined) this.#beginItem(header);
    return lineEnd + 1;
  }

  /** Parses a header line whose last part this is. */
  #parseHeader(last: Buffer): JsonObject | undefined {
    if (this.#pieces.bytes === 0) return parseHeaderLine(last, this.#place);
    this.#pieces.add(last);
    const line = this.#pieces.copy();
    this.#pieces.discard();
    return parseHeaderLine(line, this.#place);
  }

  #beginEnvelope(header: JsonObject | undefined): void {
    if (header === undefined) throw malformedEnvelope('it does not begin with a header');
    this.#isEnvelopeHeaderRead = true;
    this.#sink.header(header);
  }

  #beginItem(header: JsonObject): void {
    const length = lengthOf(header, this.#place);
    if (this.#items >= MAX_ITEMS) {
      throw new Fault('ENVELOPE_TOO_LONG', `one envelope takes ${MAX_ITEMS} items: send the others in further ones`);
    }
    this.#items++;
    const type = header['type'] as Type;
    const maxBytes = this.#wanted.get(type);
    const item = { header, type: maxBytes === undefined ? undefined : type, maxBytes, length, bytes: 0 };
    this.#item = item;
    this.#state = 'payload';
    if (length === 0) this.#endItem(item);
  }

  #readPayload(item: ItemInProgress<Type>, chunk: Buffer, at: number): number {
    if (item.length !== undefined) {
      const end = Math.min(chunk.length, at + item.length - item.bytes);
      this.#addPayload(item, chunk.subarray(at, end));
      if (item.bytes === item.length) this.#endItem(item);
      return end;
    }
    const lineEnd = chunk.indexOf(LINE_FEED, at);
    this.#addPayload(item, chunk.subarray(at, lineEnd === -1 ? chunk.length : lineEnd));
    if (lineEnd === -1) return chunk.length;
    this.#endItem(item);
    return lineEnd;
  }

  #readSeparator(chunk: Buffer, at: number): number {
    if (chunk[at] !== LINE_FEED) throw malformedEnvelope(`item ${this.#items} is longer than its length`);
    this.#state = 'header';
    return at + 1;
  }

  #addPayload(item: ItemInProgress<Type>, part: Buffer): void {
    item.bytes += part.length;
    if (item.maxBytes === undefined) return;
    if (Math.max(item.bytes, item.length ?? 0) > item.maxBytes) this.#pieces.discard();
    else this.#pieces.add(part);
  }

  #endItem({ header, type, maxBytes = 0, bytes }: ItemInProgress<Type>): void {
    this.#item = undefined;
    this.#state = 'separator';
    if (type === undefined) this.#sink.skipped(header['attachment_type'] === MINIDUMP);
    else this.#sink.item(type, bytes > maxBytes ? undefined : this.#pieces.take(), bytes);
  }
}

function malformedEnvelope(reason: string, cause?: unknown): Fault {
  return new Fault('ENVELOPE_MALFORMED', `the body is not a Sentry envelope: ${reason}`, { cause });
}
