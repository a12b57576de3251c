import { quoted } from '../../../../config/values/printable.js';
import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject } from '../../../../core/event/json.js';
import type { HeldBody } from '../../../component/ingest-memory.js';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Header lines of SDKs are below 2 KiB. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Parses a header line, items 13 and 20; undefined for a blank one, item 19. `of` names its owner. Throws `ENVELOPE_MALFORMED`. */
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

interface EnvelopeParserOptions<Type> {
  /** Maximum bytes of an item by type; items of other types are skipped. */
  readonly wanted: ReadonlyMap<Type, number>;
  readonly pieces: HeldBody;
  readonly sink: EnvelopeSink<Type>;
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
 * Parses an envelope while it arrives, items 13 to 24, and buffers only payloads of wanted types. Call `push` for each chunk, then `end`, and
 * neither after a throw: `ENVELOPE_MALFORMED`, `ENVELOPE_TOO_LONG`, `BODY_EMPTY`, `RECEIVER_BUSY` or an error of the sink.
 */
export class EnvelopeParser<Type extends string> {
  readonly #options: EnvelopeParserOptions<Type>;
  #state: 'header' | 'payload' | 'separator' = 'header';
  #isHeaderRead = false;
  #items = 0;
  #item: ItemInProgress<Type> | undefined;

  constructor(options: EnvelopeParserOptions<Type>) {
    this.#options = options;
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
    const item = this.#item;
    if (item !== undefined) this.#endInPayload(item);
    else if (this.#options.pieces.bytes > 0) this.#endInHeader();
    else if (!this.#isHeaderRead) throw new Fault('BODY_EMPTY', 'the body is empty: send an envelope');
  }

  /** Names the current header or payload in error messages. */
  get #where(): string {
    return this.#isHeaderRead ? `item ${this.#items + (this.#state === 'header' ? 1 : 0)}` : 'the envelope';
  }

  #readHeader(chunk: Buffer, at: number): number {
    const { pieces } = this.#options;
    const lineEnd = chunk.indexOf(LINE_FEED, at);
    const end = lineEnd === -1 ? chunk.length : lineEnd;
    if (pieces.bytes + end - at > MAX_HEADER_BYTES) {
      throw malformedEnvelope(`the header of ${this.#where} is longer than ${MAX_HEADER_BYTES} bytes`);
    }
    const part = chunk.subarray(at, end);
    if (lineEnd === -1) {
      pieces.add(part);
      return end;
    }
    const header = pieces.bytes === 0 ? parseHeaderLine(part, this.#where) : this.#parseSplitHeader(part);
    if (!this.#isHeaderRead) this.#beginEnvelope(header);
    else if (header !== undefined) this.#beginItem(header);
    return lineEnd + 1;
  }

  /** Parses a header that arrived in pieces; `last` is the last one. */
  #parseSplitHeader(last: Buffer): JsonObject | undefined {
    const { pieces } = this.#options;
    pieces.add(last);
    const line = pieces.copy();
    pieces.discard();
    return parseHeaderLine(line, this.#where);
  }

  #beginEnvelope(header: JsonObject | undefined): void {
    if (header === undefined) throw malformedEnvelope('it does not begin with a header');
    this.#isHeaderRead = true;
    this.#options.sink.header(header);
  }

  #beginItem(header: JsonObject): void {
    const length = lengthOf(header, this.#where);
    if (this.#items >= MAX_ITEMS) {
      throw new Fault('ENVELOPE_TOO_LONG', `one envelope takes ${MAX_ITEMS} items: send the others in further ones`);
    }
    this.#items++;
    const type = header['type'] as Type;
    const maxBytes = this.#options.wanted.get(type);
    this.#item = { header, type: maxBytes === undefined ? undefined : type, maxBytes, length, bytes: 0 };
    this.#state = 'payload';
    if (length === 0) this.#endItem(this.#item);
  }

  #readPayload(item: ItemInProgress<Type>, chunk: Buffer, at: number): number {
    if (item.length !== undefined) {
      const end = Math.min(chunk.length, at + item.length - item.bytes);
      this.#buffer(item, chunk.subarray(at, end));
      if (item.bytes === item.length) this.#endItem(item);
      return end;
    }
    const lineEnd = chunk.indexOf(LINE_FEED, at);
    this.#buffer(item, chunk.subarray(at, lineEnd === -1 ? chunk.length : lineEnd));
    if (lineEnd === -1) return chunk.length;
    this.#endItem(item);
    return lineEnd;
  }

  #readSeparator(chunk: Buffer, at: number): number {
    if (chunk[at] !== LINE_FEED) throw malformedEnvelope(`item ${this.#items} is longer than its length`);
    this.#state = 'header';
    return at + 1;
  }

  #buffer(item: ItemInProgress<Type>, part: Buffer): void {
    const { pieces } = this.#options;
    item.bytes += part.length;
    if (item.maxBytes === undefined) return;
    if (Math.max(item.bytes, item.length ?? 0) > item.maxBytes) pieces.discard();
    else pieces.add(part);
  }

  #endItem(item: ItemInProgress<Type>): void {
    const { sink, pieces } = this.#options;
    this.#item = undefined;
    this.#state = 'separator';
    const { header, type, maxBytes = 0, bytes } = item;
    if (type === undefined) sink.skipped(header['attachment_type'] === MINIDUMP);
    else sink.item(type, bytes > maxBytes ? undefined : pieces.take(), bytes);
  }

  #endInPayload(item: ItemInProgress<Type>): void {
    if (item.length === undefined) {
      this.#endItem(item);
      return;
    }
    const sentence = `it ends after ${item.bytes} of the ${item.length} bytes of item ${this.#items}`;
    throw malformedEnvelope(sentence);
  }

  #endInHeader(): void {
    const header = this.#parseSplitHeader(Buffer.alloc(0));
    if (!this.#isHeaderRead) this.#beginEnvelope(header);
    else if (header !== undefined) throw malformedEnvelope(`it ends after the header of ${this.#where}`);
  }
}

function malformedEnvelope(reason: string, cause?: unknown): Fault {
  return new Fault('ENVELOPE_MALFORMED', `the body is not a Sentry envelope: ${reason}`, { cause });
}
