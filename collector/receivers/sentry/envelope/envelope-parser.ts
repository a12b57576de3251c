import { Fault } from '../../../../core/event/fault.js';
import { isJsonObject, type JsonObject, parseJson } from '../../../../core/event/json.js';
import { withoutByteOrderMark } from '../../../../core/event/json-bytes.js';
import { HeldBody } from '../../../component/ingest-memory.js';
import type { HeldBytes } from '../../../http/decompression/chunk-decoder.js';
import { isEvent, isHeader, isUnknownType, isWanted, type WantedItems, type WantedType } from './item-types.js';
import { endOfValue, namesIn } from './json-extent.js';

/** Header lines of SDKs are below 2 KiB. */
export const MAX_HEADER_BYTES = 64 * 1024;

/** Receives the parts of an envelope in order. A throw from `header` ends the parsing. */
export interface EnvelopeSink {
  /** Once, before all items; empty if the body has no header of an envelope. */
  header(header: JsonObject): void;
  /** A complete item of a wanted type, without its payload if it exceeds its bound. */
  item(type: WantedType, payload: Buffer | undefined, bytes: number): void;
  /** An item of any other type. */
  skipped(isMinidump: boolean): void;
}

/** The rest of a body from where it is not a well-formed envelope. */
export interface EnvelopeRest {
  readonly bytes: Buffer;
  /** Where it begins in the body. */
  readonly offset: number;
  /** The header of the item whose payload it begins with. */
  readonly header: JsonObject | undefined;
  /** Number of items before it. */
  readonly items: number;
  /** Whether some of it is missing, because it is too long. */
  readonly isCut: boolean;
}

/** An item whose payload is being read, or that is complete if a header or the end of the body follows. */
interface ItemInProgress {
  readonly header: JsonObject;
  readonly type: string;
  /** Where its payload begins in the body. */
  readonly offset: number;
  /** Most bytes of its payload that are kept. */
  readonly maxBytes: number;
  /** Undefined for an item that ends at a line break. */
  readonly length: number | undefined;
  bytes: number;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** SDKs send at most a few hundred. */
export const MAX_ITEMS = 10_000;
/** Kept of a dropped item, in case that its length is wrong. */
const MAX_DROPPED_BYTES = 64 * 1024;
/** Kept of an item of an unknown type, which may be an event. */
const MAX_UNKNOWN_BYTES = 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Parses an envelope while it arrives (https://develop.sentry.dev/sdk/foundations/transport/envelopes/). Buffers only payloads of wanted types and
 * small ones, and, from where the body is not well-formed, its rest. Order: `push` for each chunk, then `end`; `abort` after a failure.
 */
export class EnvelopeParser {
  readonly #wanted: WantedItems;
  readonly #maxRestBytes: number;
  /** Of the last payload or, in the state `rest`, the rest. */
  readonly #pieces: HeldBody;
  /** Of the current header line. */
  readonly #line: HeldBody;
  readonly #sink: EnvelopeSink;
  #state: 'header' | 'payload' | 'separator' | 'rest' = 'header';
  #isBegun = false;
  /** The envelope's header if it has members that no header has, until an item follows. */
  #oddHeader: Buffer | undefined;
  /** Number of items whose header was read. */
  #items = 0;
  #item: ItemInProgress | undefined;
  /** Where the current chunk begins in the body. */
  #offset = 0;
  #rest: Omit<EnvelopeRest, 'bytes' | 'isCut'> | undefined;
  #isCut = false;

  /** `held` counts header lines that arrive in several chunks. */
  constructor(wanted: WantedItems, pieces: HeldBody, held: HeldBytes, sink: EnvelopeSink) {
    this.#wanted = wanted;
    this.#maxRestBytes = MAX_HEADER_BYTES + Math.max(...wanted.values());
    this.#pieces = pieces;
    this.#line = new HeldBody(held);
    this.#sink = sink;
  }

  /** Parses the next bytes, which must not change afterwards. */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === 'header') at = this.#readHeader(chunk, at);
      else if (this.#state === 'separator') at = this.#readSeparator(chunk, at);
      else if (this.#item === undefined) at = this.#readRest(chunk, at);
      else at = this.#readPayload(this.#item, chunk, at);
    }
    this.#offset += chunk.length;
  }

  /** The end of the body; returns what of it is not well-formed. Throws `BODY_EMPTY`. */
  end(): EnvelopeRest | undefined {
    if (this.#line.bytes > 0) this.#endInHeader();
    if (this.#state === 'payload') this.#endInPayload();
    if (this.#hasSeveralValues()) this.#beginRest(NOTHING, this.#offset);
    this.abort();
    if (!this.#isBegun) throw new Fault('BODY_EMPTY', 'the body is empty: send an envelope');
    if (this.#oddHeader !== undefined) this.#beginRest(this.#oddHeader, 0);
    if (this.#rest === undefined) return undefined;
    return { ...this.#rest, bytes: this.#pieces.slice(0, this.#pieces.bytes), isCut: this.#isCut };
  }

  /** Hands over the last item if it is complete. */
  abort(): void {
    if (this.#state !== 'payload') this.#settle();
  }

  #readHeader(chunk: Buffer, start: number): number {
    const at = this.#line.bytes === 0 ? endOfLineBreaks(chunk, start) : start;
    const lineEnd = chunk.indexOf(LINE_FEED, at);
    const end = lineEnd === -1 ? chunk.length : lineEnd;
    const offset = this.#offset + at - this.#line.bytes;
    if (this.#line.bytes + end - at > MAX_HEADER_BYTES) {
      this.#beginRest(this.#line.take(), offset);
      return at;
    }
    const part = chunk.subarray(at, end);
    this.#line.add(part);
    if (lineEnd === -1) return end;
    this.#takeHeader(offset);
    return lineEnd + 1;
  }

  /** Takes the header line, which begins at `offset` in the body. */
  #takeHeader(offset: number): void {
    const line = this.#line.slice(0, this.#line.bytes);
    this.#line.discard();
    const text = withoutByteOrderMark(line).toString();
    if (text.trim() === '') return;
    const header = parseJson(text);
    const names = isJsonObject(header) ? Object.keys(header) : [];
    const isItem = isJsonObject(header) && typeof header['type'] === 'string';
    if (!isJsonObject(header) || isEvent(names) || (this.#isBegun && !isItem) || this.#hasSeveralValues()) {
      this.#beginRest(Buffer.concat([line, Buffer.of(LINE_FEED)]), offset);
      return;
    }
    if (!this.#isBegun) this.#begin(isItem ? {} : header);
    if (isItem) this.#beginItem(header, String(header['type']), offset + line.length + 1);
    else if (!isHeader(names)) this.#oddHeader = line;
  }

  /** Whether the payload of the last item, which ended with its line, misses a line break between two values. */
  #hasSeveralValues(): boolean {
    const item = this.#item;
    if (item === undefined || item.length !== undefined || !this.#wanted.has(item.type)) return false;
    if (item.bytes > Math.min(item.maxBytes, MAX_UNKNOWN_BYTES)) return false;
    const payload = this.#pieces.slice(0, item.bytes);
    return payload.includes('}{') && endOfValue(payload) < payload.length;
  }

  #begin(header: JsonObject): void {
    this.#isBegun = true;
    this.#sink.header(header);
  }

  #beginItem(header: JsonObject, type: string, offset: number): void {
    if (this.#items >= MAX_ITEMS) throw tooManyItems();
    this.#settle();
    this.#oddHeader = undefined;
    this.#items++;
    const length = lengthOf(header);
    this.#item = { header, type, offset, maxBytes: this.#maxBytesOf(type, length), length, bytes: 0 };
    this.#state = length === 0 ? 'separator' : 'payload';
  }

  #maxBytesOf(type: string, length = 0): number {
    const wanted = this.#wanted.get(type);
    if (wanted !== undefined) return wanted;
    const unwanted = isUnknownType(type, this.#wanted) ? MAX_UNKNOWN_BYTES : MAX_DROPPED_BYTES;
    return length > unwanted ? 0 : unwanted;
  }

  #readPayload(item: ItemInProgress, chunk: Buffer, at: number): number {
    const { length, bytes } = item;
    const lineEnd = length === undefined ? chunk.indexOf(LINE_FEED, at) : at + length - bytes;
    const isWhole = lineEnd !== -1 && lineEnd <= chunk.length;
    const end = isWhole ? lineEnd : chunk.length;
    item.bytes += end - at;
    if (item.bytes > item.maxBytes) this.#pieces.discard();
    else this.#pieces.add(chunk.subarray(at, end));
    if (isWhole) this.#state = 'separator';
    return end;
  }

  #readSeparator(chunk: Buffer, at: number): number {
    const byte = chunk[at];
    if (byte === LINE_FEED) this.#state = 'header';
    else if (byte !== CARRIAGE_RETURN) this.#beginRest(NOTHING, this.#offset + at);
    return this.#state === 'rest' ? at : at + 1;
  }

  #readRest(chunk: Buffer, at: number): number {
    const room = Math.max(0, this.#maxRestBytes - this.#pieces.bytes);
    const part = chunk.subarray(at, at + room);
    this.#pieces.add(part);
    this.#isCut ||= at + part.length < chunk.length;
    return chunk.length;
  }

  /** The body ends in a header line. */
  #endInHeader(): void {
    this.#takeHeader(this.#offset - this.#line.bytes);
    // The header of an item ends with a line break.
    if (this.#state === 'payload' || this.#state === 'separator') this.#beginRest(NOTHING, this.#offset);
  }

  #endInPayload(): void {
    const item = this.#item;
    if (item?.length === undefined) {
      this.#state = 'separator';
      return;
    }
    this.#isCut = item.bytes > item.maxBytes;
    this.#beginRest(NOTHING, this.#offset);
  }

  /** The body is not well-formed from the payload of the last item on, or from `line`, which begins at `offset` in the body. */
  #beginRest(line: Buffer, offset: number): void {
    if (!this.#isBegun) this.#begin({});
    const item = this.#item;
    const isKept = item !== undefined && item.bytes <= item.maxBytes;
    // What follows a whole item of which nothing is kept does not belong to it.
    if (item !== undefined && !isKept && (this.#state === 'header' || this.#wanted.has(item.type))) this.#settle();
    const header = this.#item?.header;
    const from = isKept ? item.offset : offset;
    this.#rest = { offset: from, header, items: header === undefined ? this.#items : this.#items - 1 };
    this.#item = undefined;
    this.#oddHeader = undefined;
    this.#state = 'rest';
    // Line breaks for those between the payload and the line.
    const gap = Math.min(offset - from - this.#pieces.bytes, MAX_HEADER_BYTES);
    if (gap > 0) this.#pieces.add(Buffer.alloc(gap, LINE_FEED));
    this.#pieces.add(line);
  }

  /** Hands over the last item. */
  #settle(): void {
    const item = this.#item;
    if (item === undefined) return;
    this.#item = undefined;
    const { type, bytes, maxBytes, header } = item;
    const isUnknown = isUnknownType(type, this.#wanted);
    const isUsed = bytes <= maxBytes && (isUnknown || isWanted(type, this.#wanted));
    const payload = isUsed ? withoutByteOrderMark(this.#pieces.take()) : undefined;
    this.#pieces.discard();
    if (isWanted(type, this.#wanted)) this.#sink.item(type, payload, bytes);
    else if (payload !== undefined && isEvent(namesIn(payload))) this.#sink.item('event', payload, bytes);
    else this.#sink.skipped(isMinidump(header));
  }
}

/** Blank lines are passed at once, because a body may have millions. */
function endOfLineBreaks(chunk: Buffer, start: number): number {
  let at = start;
  while (chunk[at] === LINE_FEED || chunk[at] === CARRIAGE_RETURN) at++;
  return at;
}

/** Whether an item has a minidump. */
export function isMinidump(header: JsonObject): boolean {
  return header['attachment_type'] === 'event.minidump';
}

/** The bytes of a payload; undefined if it ends at a line break. */
export function lengthOf({ length }: JsonObject): number | undefined {
  return typeof length === 'number' && Number.isSafeInteger(length) && length >= 0 ? length : undefined;
}

/** Creates the fault `ENVELOPE_TOO_LONG`. */
export function tooManyItems(): Fault {
  return new Fault('ENVELOPE_TOO_LONG', `one envelope takes ${MAX_ITEMS} items: send the others in further ones`);
}
