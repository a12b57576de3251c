import { levelOf } from '../../normalize/level.js';
import type { FieldValue } from '../../query/query-fields.js';
import type { RawPiece } from '../../query/raw-pieces.js';
import { findHiddenLetters, type HiddenLetters } from '../record/commits/hidden-letters.js';
import { createRawNeedle } from './byte-search.js';

/** Bytes of one read, and the raw lines in it to test. */
export class RawBlock {
  readonly bytes: Buffer;
  /** Offsets, ascending. */
  readonly starts: Int32Array;
  /** Exclusive, without the newline; bytes between lines are ignored. */
  readonly ends: Int32Array;
  #hidden: HiddenLetters | undefined;

  constructor(bytes: Buffer, starts: Int32Array, ends: Int32Array) {
    this.bytes = bytes;
    this.starts = starts;
    this.ends = ends;
  }

  get hidden(): HiddenLetters {
    this.#hidden ??= findHiddenLetters(this.bytes);
    return this.#hidden;
  }

  /** Calls `visit` for each of some ascending offsets inside a line. */
  visitLines(offsets: readonly number[], visit: (line: number) => void): void {
    let line = 0;
    for (const offset of offsets) {
      while (line < this.ends.length && (this.ends[line] ?? 0) <= offset) line += 1;
      if (line === this.ends.length) return;
      if (offset >= (this.starts[line] ?? 0)) visit(line);
    }
  }
}

/** Three-valued logic: whether an event matches. */
export const NO = 0;
export const MAYBE = 1;
export const YES = 2;
export type Verdict = typeof NO | typeof MAYBE | typeof YES;

/** Tests all unparsed lines of a block at once, which is faster than a search for each line. */
export interface LineTest {
  /** What a line must hold, if it is that alone. */
  readonly piece?: RawPiece;
  /** Writes the verdict on each line, in order. */
  evaluate(block: RawBlock, verdicts: Uint8Array): void;
}

/** `NO` for lines that cannot contain a text. */
export function pieceTest(piece: RawPiece): LineTest {
  const needle = createRawNeedle(piece);
  return {
    piece,
    evaluate(block, verdicts) {
      const { bytes, starts, ends, hidden } = block;
      verdicts.fill(NO);
      const end = ends.at(-1) ?? 0;
      let line = 0;
      needle.search(bytes, starts[0] ?? 0, end, (found) => {
        while ((ends[line] ?? end) <= found) line += 1;
        if (found < (starts[line] ?? end)) return found + 1;
        verdicts[line] = MAYBE;
        return ends[line] ?? end;
      });
      block.visitLines(piece.isAscii ? hidden.ascii : hidden.others, (hiding) => {
        verdicts[hiding] = MAYBE;
      });
    },
  };
}

/** The verdict on a key's value, which begins at `at`. */
type TokenVerdict = (bytes: Buffer, at: number, end: number) => Verdict;

const COLON = 0x3a;
/** Characters that follow a text value, not a key. */
const AFTER_VALUE = [0x2c, 0x7d, 0x5d];

/** The verdict on which all values of a key in a line agree; `MAYBE` for keys with escapes or spaces. */
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
/** Longer texts are `MAYBE`. */
const MAX_TOKEN_BYTES = 256;

/** For plain texts and null; `MAYBE` for texts with escapes. */
export function textToken(holds: (value: string | null) => boolean): TokenVerdict {
  const ofNull = holds(null) ? YES : NO;
  return (bytes, at, end) => {
    if (bytes[at] === SMALL_N) return ofNull;
    if (bytes[at] !== QUOTE) return MAYBE;
    let close = at + 1;
    const most = Math.min(end, close + MAX_TOKEN_BYTES);
    for (; close < most && bytes[close] !== QUOTE; close += 1) if (bytes[close] === BACKSLASH) return MAYBE;
    if (close === most) return MAYBE;
    return holds(bytes.toString('utf8', at + 1, close)) ? YES : NO;
  };
}

/** For integers and null; `MAYBE` for other forms, such as `5e2`. */
function integerToken(holds: (value: number | null) => boolean): TokenVerdict {
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

/** Whether the value is a text that is not empty. */
const filledToken: TokenVerdict = (bytes, at) => {
  if (bytes[at] === SMALL_N) return NO;
  if (bytes[at] !== QUOTE) return MAYBE;
  return bytes[at + 1] === QUOTE ? NO : YES;
};

/** One test must say yes, or with `isNegated` none may. */
interface FieldTests {
  readonly anyOf: readonly LineTest[];
  readonly isNegated: boolean;
}

/** Fields with few short values, by their key in raw lines. */
const TOKENS: Readonly<Record<string, (holds: (value: FieldValue) => boolean) => TokenVerdict>> = {
  level: (holds) => textToken((level) => holds(levelOf({ level }))),
  method: textToken,
  release: textToken,
  status_code: integerToken,
};

/** Tests for fields with few short values; undefined for other fields. */
export function lineTestsOf(field: string, holds: (value: FieldValue) => boolean): FieldTests | undefined {
  if (field === 'type') return testsOfType(holds('exception'), holds('log'));
  const key = field === 'releases' ? 'release' : field;
  const tokenOf = TOKENS[key];
  return tokenOf && { anyOf: [keyTest(key, tokenOf(holds))], isNegated: false };
}

/** Exceptions have a stack or a status code. */
function testsOfType(isException: boolean, isLog: boolean): FieldTests {
  if (isException === isLog) return { anyOf: [], isNegated: isLog };
  const hasStatus = integerToken((value) => value !== null);
  return { anyOf: [keyTest('stack', filledToken), keyTest('status_code', hasStatus)], isNegated: isLog };
}
