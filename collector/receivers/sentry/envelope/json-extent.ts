import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  isJsonSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../../../../core/event/json-bytes.js';
import { finishNow } from '../../../../core/time-slice.js';

/** Where a JSON value ends, and what it has. */
interface JsonExtent {
  /** The position behind it; undefined if it does not end. */
  readonly end: number | undefined;
  /** Where the reading stopped. */
  readonly reached: number;
  /** The first names of the members of an object, with their escapes. */
  readonly names: readonly string[];
}

const COLON = 0x3a;
const LINE_FEED = 0x0a;
/** By byte: 1 for an opening and -1 for a closing bracket. A table, because every byte of a body is looked up. */
const NESTING = new Int8Array(256);
for (const byte of [OPEN_BRACE, OPEN_BRACKET]) NESTING[byte] = 1;
for (const byte of [CLOSE_BRACE, CLOSE_BRACKET]) NESTING[byte] = -1;
/** Bytes that are read in one turn of the event loop. */
const PIECE_BYTES = 256 * 1024;
/** The names of an event are fewer and shorter. */
const MAX_NAMES = 200;
const MAX_NAME_BYTES = 100;

/** Finds the end of the object or array that begins at `start`, before `stop`, without parsing it; yields where the event loop should turn. */
export function* extentOf(bytes: Buffer, start: number, stop: number): Generator<undefined, JsonExtent> {
  const names: string[] = [];
  let depth = 0;
  let pauseAt = start + PIECE_BYTES;
  for (let at = start; at < stop; at++) {
    if (at >= pauseAt) {
      pauseAt = at + PIECE_BYTES;
      yield undefined;
    }
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      const close = closingQuote(bytes, at + 1, stop);
      if (bytes[close] !== QUOTE) return { end: undefined, reached: close, names };
      if (depth === 1) addName(names, bytes, at + 1, close);
      at = close;
    }
    depth += NESTING[byte] ?? 0;
    if (depth === 0) return { end: at + 1, reached: at + 1, names };
  }
  return { end: undefined, reached: stop, names };
}

/** Returns the names of the members of an object of at most a few MiB; none of another value. */
export function namesIn(bytes: Buffer): readonly string[] {
  return wholeExtent(bytes).names;
}

/** Returns the position behind the object or array that begins a text of at most a few MiB, and the white space that follows; the end of a text without one. */
export function endOfValue(bytes: Buffer): number {
  let end = wholeExtent(bytes).end ?? bytes.length;
  while (isJsonSpace(bytes[end])) end++;
  return end;
}

function wholeExtent(bytes: Buffer): JsonExtent {
  let start = 0;
  while (isJsonSpace(bytes[start])) start++;
  return finishNow(extentOf(bytes, start, bytes.length));
}

/** Returns the position of the quote that ends a string, or of the line break or `stop` before it: JSON has no line break in a string. */
function closingQuote(bytes: Buffer, from: number, stop: number): number {
  let at = from;
  while (at < stop && bytes[at] !== QUOTE && bytes[at] !== LINE_FEED) {
    at += bytes[at] === BACKSLASH && bytes[at + 1] !== LINE_FEED ? 2 : 1;
  }
  return Math.min(at, stop);
}

/** Adds the string that ends at `close` if a colon follows. */
function addName(names: string[], bytes: Buffer, start: number, close: number): void {
  if (names.length >= MAX_NAMES || close - start > MAX_NAME_BYTES) return;
  let at = close + 1;
  while (isJsonSpace(bytes[at])) at++;
  if (bytes[at] === COLON) names.push(bytes.toString('utf8', start, close));
}
