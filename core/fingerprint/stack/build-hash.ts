import { bitsOfWords } from './letter-statistics.js';

/** What bundlers write a hash of a file's content with. */
interface HashRow {
  readonly pattern: RegExp;
  /** Of each character of a random hash. */
  readonly bits: number;
  /** Bits for a form that few builds use. */
  readonly rarity: number;
  readonly reason: string;
  readonly examples: readonly string[];
}

/** Forms of hashes, those of few letters first; the length of a part of a name is bounded. */
export const HASHES: readonly HashRow[] = [
  { pattern: /^\d{6,}$/, bits: 3.3, rarity: 0, reason: 'A hash by chance without letters.', examples: ['40718293'] },
  {
    pattern: /^(?:(?=\D*\d)[\da-f]{6,}|[a-f]{8,}|(?=\D*\d)[\dA-F]{6,}|[A-F]{8,})$/,
    bits: 4,
    rarity: 2,
    reason: 'Hexadecimal digits, with which webpack, Parcel, Rails and most others end a name.',
    examples: ['4f2a91bc', 'b1ad0c', 'dafecabe', '0A1B2C3D4E5F60718293'],
  },
  { pattern: /^[A-Z2-7]{8}$/, bits: 5, rarity: 0, reason: 'Base 32 of esbuild.', examples: ['KWYLQUSF'] },
  {
    pattern: /^(?=[a-z]*\d)[\da-z]{8,}$/,
    bits: 5.2,
    rarity: 6,
    reason: 'Base 36 and base 32 of Bun.',
    examples: ['8xk2m9qz'],
  },
  { pattern: /^[a-z]{8,}$/, bits: 5.2, rarity: 6, reason: 'The same without digits.', examples: ['xkvmqzwt'] },
  { pattern: /^[\w-]{8}$/, bits: 6, rarity: 0, reason: 'Base 64 of Rollup.', examples: ['D4hK-s1a', 'qTzWbXcv'] },
  {
    pattern: /^(?![A-Z]+(?:_[A-Z]+)+$)[\w-]{9,22}$/,
    bits: 6,
    rarity: 7,
    reason: 'Base 64 of other lengths.',
    examples: ['kP0x-Zq81_LmRtWv2YbNc'],
  },
];

const MARK = /[-_~@]/;
/** A mark or one letter before a hash, which says nothing. */
const BITS_OF_SHORT_START = 6;
const SHORT_START = /^(?:[A-Za-z][-_~@]|[-_])/;
/** Bits of a mark between words and a hash, or within a hash of which it would leave out the start. */
const BITS_OF_MARK = 2;
const BITS_OF_LATER_START = 4;
/** Letters of a word before a hash. */
const SHORTEST_WORD = 2;
const SHORTEST_HASH = 6;
const SHORTEST_WITHOUT_DIGIT = 8;
/** UTF-16 units; longer parts are not searched. */
const LONGEST_PART = 80;

/** How much the place of a file speaks for a hash in its name, in bits. */
export interface Place {
  /** For a hash after words. */
  readonly afterWords: number;
  /** For a hash that is the whole name, or a part between dots. */
  readonly alone: number;
}

/**
 * Returns where the hash at the end of a part of a name begins, which is its length if it has none. What is random takes fewer bits as a hash
 * than as words.
 */
export function startOfHash(part: string, { afterWords, alone }: Place): number {
  if (!mayHaveHash(part)) return part.length;
  const whole = bitsOfWhole(part) - alone;
  let best = { start: 0, bits: whole, rank: whole };
  let later = 0;
  for (let mark = part.search(MARK); mark >= 0; mark = nextMark(part, mark)) {
    const hash = mark < SHORTEST_WORD ? Infinity : bitsOfHash(part.slice(mark + 1));
    if (hash === Infinity) continue;
    const bits = bitsOfWords(part.slice(0, mark)) + BITS_OF_MARK + hash - afterWords;
    later += BITS_OF_LATER_START;
    if (bits + later < best.rank) best = { start: mark + 1, bits, rank: bits + later };
  }
  return best.bits < Infinity && best.bits < bitsOfWords(part) ? best.start : part.length;
}

/** Whether a part of a path is a hash and nothing else. */
export function isHash(part: string): boolean {
  return mayHaveHash(part) && bitsOfWhole(part) < bitsOfWords(part);
}

function mayHaveHash(part: string): boolean {
  return part.length >= SHORTEST_HASH && part.length <= LONGEST_PART;
}

/** The next place where a hash may start, or -1. */
function nextMark(part: string, mark: number): number {
  const next = part.slice(mark + 1).search(MARK);
  return next < 0 ? -1 : mark + 1 + next;
}

function bitsOfWhole(part: string): number {
  const bits = bitsOfHash(part);
  return SHORT_START.test(part)
    ? Math.min(bits, bitsOfHash(part.replace(SHORT_START, '')) + BITS_OF_SHORT_START)
    : bits;
}

/** Infinity if the text has no form of a hash. */
function bitsOfHash(text: string): number {
  if (text.length < SHORTEST_HASH) return Infinity;
  if (text.length < SHORTEST_WITHOUT_DIGIT && !/\d/.test(text)) return Infinity;
  const row = HASHES.find(({ pattern }) => pattern.test(text));
  return row === undefined ? Infinity : row.bits * text.length + row.rarity;
}
