import type { RawPiece } from '../../query/raw-pieces.js';
import { createRawNeedle, findHiddenLetters, type HiddenLetters } from './byte-search.js';

/** Bytes of one file, read at once, and the raw lines in it that are looked at. */
export class RawBlock {
  readonly bytes: Buffer;
  /** Where each line begins, ascending. */
  readonly starts: Int32Array;
  /** After the last byte of each line, without its newline; what lies between two lines is not looked at. */
  readonly ends: Int32Array;
  #hidden: HiddenLetters | undefined;

  constructor(bytes: Buffer, starts: Int32Array, ends: Int32Array) {
    this.bytes = bytes;
    this.starts = starts;
    this.ends = ends;
  }

  /** Looked for when first asked. */
  get hidden(): HiddenLetters {
    this.#hidden ??= findHiddenLetters(this.bytes);
    return this.#hidden;
  }

  /** Tells a visitor of each of some ascending offsets that lie in a line, and of which line. */
  visitLines(offsets: readonly number[], visit: (line: number) => void): void {
    let line = 0;
    for (const offset of offsets) {
      while (line < this.ends.length && (this.ends[line] ?? 0) <= offset) line += 1;
      if (line === this.ends.length) return;
      if (offset >= (this.starts[line] ?? 0)) visit(line);
    }
  }
}

/** How sure it is that an event matches: so that `NOT` turns no into yes and leaves the third as it is. */
export const NO = 0;
export const MAYBE = 1;
export const YES = 2;
export type Verdict = typeof NO | typeof MAYBE | typeof YES;

/** What is asked of raw lines without parsing them, of all lines of a block at once: searching a block is quick, and to begin a search for each line is not. */
export interface LineTest {
  /** Writes the verdict on each line of a block, in their order. */
  evaluate(block: RawBlock, verdicts: Uint8Array): void;
}

/** No for lines that cannot hold a piece of text. */
export function pieceTest(piece: RawPiece): LineTest {
  const needle = createRawNeedle(piece);
  return {
    evaluate(block, verdicts) {
      const { bytes, starts, ends, hidden } = block;
      verdicts.fill(NO);
      const end = ends.at(-1) ?? 0;
      let line = 0;
      for (let found = needle.find(bytes, starts[0] ?? 0, end); found >= 0; ) {
        while ((ends[line] ?? end) <= found) line += 1;
        const isInside = found >= (starts[line] ?? end);
        if (isInside) verdicts[line] = MAYBE;
        found = needle.find(bytes, isInside ? (ends[line] ?? end) : found + 1, end);
      }
      block.visitLines(piece.isAscii ? hidden.ascii : hidden.others, (hiding) => {
        verdicts[hiding] = MAYBE;
      });
    },
  };
}

/** Tells what the value of a key says, which begins at an offset; it may be anything up to `end`. */
export type TokenVerdict = (bytes: Buffer, at: number, end: number) => Verdict;

const COLON = 0x3a;
/** What follows a text that is a value, not a key. */
const AFTER_VALUE = [0x2c, 0x7d, 0x5d];

/**
 * The verdict that all values agree on which a key has anywhere in a line, in `extra` and `tags` too: the payload's own is one of them. A key that is written
 * with escapes or spaces leaves it open.
 */
export function keyTest(key: string, verdictOf: TokenVerdict): LineTest {
  const quoted = Buffer.from(`"${key}"`);
  return {
    evaluate(block, verdicts) {
      const { bytes, starts, ends, hidden } = block;
      verdicts.fill(MAYBE);
      let line = 0;
      let known = -1;
      for (let found = bytes.indexOf(quoted); found >= 0; found = bytes.indexOf(quoted, found + quoted.length)) {
        while (line < ends.length && (ends[line] ?? 0) <= found) line += 1;
        if (line === ends.length) break;
        if (found < (starts[line] ?? 0)) continue;
        const after = found + quoted.length;
        const next = bytes[after] ?? 0;
        if (AFTER_VALUE.includes(next)) continue;
        const verdict = next === COLON ? verdictOf(bytes, after + 1, ends[line] ?? 0) : MAYBE;
        verdicts[line] = known < line || verdicts[line] === verdict ? verdict : MAYBE;
        known = line;
      }
      block.visitLines(hidden.ascii, (hiding) => {
        verdicts[hiding] = MAYBE;
      });
    },
  };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const SMALL_N = 0x6e;
/** More digits may be rounded. */
const MAX_DIGITS = 15;
/** Texts that are remembered with their verdict. */
const MAX_REMEMBERED = 256;
/** Longer ones are not looked at. */
const MAX_TOKEN_BYTES = 256;

/** For plain texts and null; open where a text holds an escape. */
export function textToken(holds: (value: string | null) => boolean): TokenVerdict {
  const ofNull = holds(null) ? YES : NO;
  const remembered = new Map<string, Verdict>();
  return (bytes, at, end) => {
    if (bytes[at] === SMALL_N) return ofNull;
    if (bytes[at] !== QUOTE) return MAYBE;
    let close = at + 1;
    const most = Math.min(end, close + MAX_TOKEN_BYTES);
    let isAscii = true;
    for (; close < most && bytes[close] !== QUOTE; close += 1) {
      const byte = bytes[close] ?? 0;
      if (byte === BACKSLASH) return MAYBE;
      if (byte >= 0x80) isAscii = false;
    }
    if (close === most) return MAYBE;
    const text = isAscii ? bytes.toString('latin1', at + 1, close) : bytes.toString('utf8', at + 1, close);
    const known = remembered.get(text);
    if (known !== undefined) return known;
    const verdict = holds(text) ? YES : NO;
    if (remembered.size < MAX_REMEMBERED) remembered.set(text, verdict);
    return verdict;
  };
}

/** For whole numbers and null; open where a number is written in another way, such as `5e2`. */
export function integerToken(holds: (value: number | null) => boolean): TokenVerdict {
  const ofNull = holds(null) ? YES : NO;
  return (bytes, at, end) => {
    if (bytes[at] === SMALL_N) return ofNull;
    const isNegative = bytes[at] === MINUS;
    const first = isNegative ? at + 1 : at;
    let value = 0;
    let index = first;
    for (; index < end; index += 1) {
      const byte = bytes[index] ?? 0;
      if (byte < DIGIT_0 || byte > DIGIT_9) break;
      value = value * 10 + byte - DIGIT_0;
    }
    const isPlain = index > first && index - first <= MAX_DIGITS && AFTER_VALUE.includes(bytes[index] ?? 0);
    if (!isPlain) return MAYBE;
    return holds(isNegative ? -value : value) ? YES : NO;
  };
}

/** Whether there is a text that is not empty. */
export const filledToken: TokenVerdict = (bytes, at) => {
  if (bytes[at] === SMALL_N) return NO;
  if (bytes[at] !== QUOTE) return MAYBE;
  return bytes[at + 1] === QUOTE ? NO : YES;
};
