import { quoted } from '../../../../config/values/printable.js';
import { isJsonObject, type JsonObject, parseJson } from '../../../../core/event/json.js';
import { CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET } from '../../../../core/event/json-bytes.js';
import {
  type EnvelopeRest,
  type EnvelopeSink,
  isMinidump,
  lengthOf,
  MAX_HEADER_BYTES,
  MAX_ITEMS,
  tooManyItems,
} from './envelope-parser.js';
import { isEvent, isHeader, isUnknownType, isWanted, type WantedItems, type WantedType } from './item-types.js';
import { extentOf } from './json-extent.js';

/** A JSON value in the body. */
interface Extent {
  readonly start: number;
  readonly end: number;
  /** Of the members of an object. */
  readonly names: readonly string[];
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const LINE_END: ReadonlySet<number | undefined> = new Set([LINE_FEED, CARRIAGE_RETURN, undefined]);
/** White space, and the bytes of a byte order mark. */
const SPACE = tableOf([0x20, 0x09, LINE_FEED, CARRIAGE_RETURN, 0xef, 0xbb, 0xbf]);
/** Also what is around the elements of an array. */
const BETWEEN_VALUES = tableOf([
  0x20,
  0x09,
  LINE_FEED,
  CARRIAGE_RETURN,
  0xef,
  0xbb,
  0xbf,
  OPEN_BRACKET,
  COMMA,
  CLOSE_BRACKET,
]);
/** One of them is in every header that ends a dropped payload. */
const HEADER_NAMES = ['"type"', '"event_id"'];
const TOO_LONG = 'it is too long to be read without its framing';
/** Lines of a dropped payload that are passed in one turn of the event loop; well below a millisecond. */
const LINES_AT_ONCE = 1_000;
/** Shown of what was not understood. */
const MAX_SHOWN_BYTES = 60;

/**
 * Reads what can be understood of a body that is not a well-formed envelope: headers and events in any order, also in arrays. A payload in JSON
 * ends where its JSON ends, whatever its length is said to be. Linear, because what follows a broken value is read line by line.
 */
export class LooseEnvelope {
  readonly #rest: EnvelopeRest;
  readonly #bytes: Buffer;
  readonly #wanted: WantedItems;
  readonly #sink: Pick<EnvelopeSink, 'item' | 'skipped'>;
  #at = 0;
  /** Up to here, a value that does not end within its line is broken. */
  #brokenBefore = 0;
  /** Number of items whose header was read. */
  #items: number;
  #values = 0;
  /** The header of the item whose payload comes next. */
  #expected: JsonObject | undefined;
  #problem: string | undefined;

  constructor(rest: EnvelopeRest, wanted: WantedItems, sink: Pick<EnvelopeSink, 'item' | 'skipped'>) {
    this.#rest = rest;
    this.#bytes = rest.bytes;
    this.#wanted = wanted;
    this.#sink = sink;
    this.#items = rest.items;
    if (rest.header !== undefined) this.#expect(rest.header);
  }

  /** Returns what was not understood first, for people; undefined if nothing. Yields where the event loop should turn. Throws `ENVELOPE_TOO_LONG`. */
  *read(): Generator<undefined, string | undefined> {
    if (this.#rest.offset === 0 && isUtf16(this.#bytes)) return 'it is UTF-16: send UTF-8';
    while (this.#expected !== undefined || this.#skip(BETWEEN_VALUES)) {
      if (this.#expected === undefined) yield* this.#readValue();
      else yield* this.#readPayload(this.#expected);
      yield undefined;
    }
    if (this.#rest.isCut) this.#fail(TOO_LONG, this.#at);
    return this.#problem;
  }

  /** Reads what no header announces. */
  *#readValue(): Generator<undefined, void> {
    const value = yield* this.#nextValue();
    if (value === undefined) {
      this.#failLine('it is neither a header nor an event');
      return;
    }
    if (isEvent(value.names)) {
      this.#take('event', value);
      return;
    }
    const { start, end, names } = value;
    const isShort = end - start <= MAX_HEADER_BYTES;
    const header = isShort ? parseJson(this.#bytes.toString('utf8', start, end)) : undefined;
    if (!isJsonObject(header)) this.#fail('it is neither a header nor an event', start);
    else if (typeof header['type'] === 'string') this.#expect(header);
    // The header of another envelope, or of an item without a type.
    else if (!isHeader(names)) this.#fail('it has members of neither a header nor an event', start);
  }

  *#readPayload(header: JsonObject): Generator<undefined, void> {
    this.#expected = undefined;
    const type = String(header['type']);
    const isUsed = isWanted(type, this.#wanted);
    const isUnknown = isUnknownType(type, this.#wanted);
    if (!isUsed && !isUnknown) {
      yield* this.#passDropped(header);
      return;
    }
    const start = this.#at;
    if (!this.#skip(type === 'event' ? BETWEEN_VALUES : SPACE)) {
      this.#fail('it ends after the header', start);
      return;
    }
    const value = yield* this.#nextValue();
    if (value === undefined && isUsed) {
      this.#failLine('its payload is not JSON that ends');
    } else if (value === undefined) {
      this.#at = start;
      yield* this.#passDropped(header);
    } else if (value.names.includes('type') && isHeader(value.names)) {
      this.#fail('its payload is missing before another header', value.start);
      this.#at = value.start;
    } else if (isUsed || isEvent(value.names)) {
      this.#take(isUsed ? type : 'event', value);
    } else {
      this.#sink.skipped(isMinidump(header));
    }
  }

  #expect(header: JsonObject): void {
    this.#items++;
    this.#expected = header;
  }

  #take(type: WantedType, { start, end }: Extent): void {
    const bytes = end - start;
    const isSmall = bytes <= (this.#wanted.get(type) ?? 0);
    this.#sink.item(type, isSmall ? this.#bytes.subarray(start, end) : undefined, bytes);
  }

  /** Passes the payload of a dropped item, up to its length if a line ends there, else to the next header of an item. */
  *#passDropped(header: JsonObject): Generator<undefined, void> {
    this.#sink.skipped(isMinidump(header));
    const start = this.#at;
    this.#at += lengthOf(header) ?? 0;
    if (this.#at > start && this.#isBetweenItems()) return;
    this.#at = start;
    for (let line = 1; ; line++) {
      this.#at = this.#endOfLine(this.#at) + 1;
      if (this.#at >= this.#bytes.length || this.#isHeaderLine()) return;
      if (line % LINES_AT_ONCE === 0) yield undefined;
    }
  }

  /** Whether the end of a line is here, and then the end of the body or JSON. */
  #isBetweenItems(): boolean {
    if (this.#at > this.#bytes.length || !LINE_END.has(this.#bytes[this.#at])) return false;
    return !this.#skip(SPACE) || this.#bytes[this.#at] === OPEN_BRACE;
  }

  /** Whether the header of an item of a known type, or of another envelope, begins here. */
  #isHeaderLine(): boolean {
    if (this.#bytes[this.#at] !== OPEN_BRACE) return false;
    const line = this.#bytes.subarray(this.#at, this.#endOfLine(this.#at));
    if (line.length > MAX_HEADER_BYTES || !HEADER_NAMES.some((name) => line.includes(name))) return false;
    this.#countValue();
    const header = parseJson(line.toString());
    if (!isJsonObject(header)) return false;
    const { type } = header;
    if (typeof type === 'string') return !isUnknownType(type, this.#wanted);
    const names = Object.keys(header);
    return names.includes('event_id') && isHeader(names);
  }

  /** Passes the JSON object or array that begins here; undefined if there is none that ends. */
  *#nextValue(): Generator<undefined, Extent | undefined> {
    const start = this.#at;
    const byte = this.#bytes[start];
    if (byte !== OPEN_BRACE && byte !== OPEN_BRACKET) return undefined;
    this.#countValue();
    const stop = start < this.#brokenBefore ? this.#endOfLine(start) : this.#bytes.length;
    const { end, reached, names } = yield* extentOf(this.#bytes, start, stop);
    if (end === undefined) {
      this.#brokenBefore = Math.max(this.#brokenBefore, reached);
      return undefined;
    }
    this.#at = end;
    return { start, end, names };
  }

  /** Passes white space, byte order marks and other bytes; returns false at the end. */
  #skip(passed: Uint8Array): boolean {
    let at = this.#at;
    while (at < this.#bytes.length && passed[this.#bytes[at] ?? 0] === 1) at++;
    this.#at = at;
    return at < this.#bytes.length;
  }

  #endOfLine(at: number): number {
    const end = this.#bytes.indexOf(LINE_FEED, at);
    return end === -1 ? this.#bytes.length : end;
  }

  /** Bounds the work: parsing what is no JSON is slow. */
  #countValue(): void {
    if (this.#values >= MAX_ITEMS) throw tooManyItems();
    this.#values++;
  }

  #failLine(what: string): void {
    const isCut = this.#rest.isCut && this.#brokenBefore === this.#bytes.length;
    this.#fail(isCut ? TOO_LONG : what, this.#at);
    this.#at = this.#endOfLine(this.#at);
  }

  /** Only the first failure is told. */
  #fail(what: string, at: number): void {
    const shown = this.#bytes.toString('utf8', at, Math.min(at + MAX_SHOWN_BYTES, this.#endOfLine(at)));
    const item = this.#items === 0 ? '' : ` in item ${this.#items}`;
    this.#problem ??= `at byte ${this.#rest.offset + at}${item}, ${what}: ${quoted(shown)}`;
  }
}

/** Returns 1 for each of the bytes. A table, because a body may have millions of them. */
function tableOf(bytes: readonly number[]): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (bytes.includes(byte) ? 1 : 0));
}

/** By its byte order mark, or because every other byte of JSON is 0. */
function isUtf16([first, second]: Buffer): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0;
}
