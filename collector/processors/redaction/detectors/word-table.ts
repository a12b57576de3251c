import type { Detector } from './detectors.js';

/** A prefix is the low 5 bits of three units, so that upper and lower case are equal. */
export const PREFIX_MASK = 0x7fff;
/** Length of a prefix and of the shortest word. */
export const PREFIX_LENGTH = 3;
/** Flags of a prefix: it begins a word, or a sign that gates a search of the whole text. */
const BEGINS_WORD = 1;
export const HAS_ENCODED_AT = 2;
export const HAS_DASHES = 4;
const SIGNS = [
  ['%40', HAS_ENCODED_AT],
  ['---', HAS_DASHES],
] as const;

interface Word {
  readonly word: string;
  readonly detector: number;
}

/** Maps prefixes to detectors. */
export interface WordTable {
  readonly detectors: readonly Detector[];
  readonly prefixFlags: Uint8Array;
  /** Words with the index of their detector. */
  readonly wordsByPrefix: ReadonlyMap<number, readonly Word[]>;
}

/** Builds the table of the words of detectors. */
export function buildWordTable(detectors: readonly Detector[]): WordTable {
  const prefixFlags = new Uint8Array(PREFIX_MASK + 1);
  const wordsByPrefix = new Map<number, Word[]>();
  for (const [detector, { words }] of detectors.entries()) {
    for (const word of words) {
      const prefix = prefixOf(word);
      prefixFlags[prefix] = BEGINS_WORD;
      wordsByPrefix.set(prefix, [...(wordsByPrefix.get(prefix) ?? []), { word, detector }]);
    }
  }
  for (const [sign, flag] of SIGNS) prefixFlags[prefixOf(sign)] = (prefixFlags[prefixOf(sign)] ?? 0) | flag;
  return { detectors, prefixFlags, wordsByPrefix };
}

function prefixOf(word: string): number {
  let prefix = 0;
  for (let at = 0; at < PREFIX_LENGTH; at += 1) prefix = ((prefix << 5) | (word.charCodeAt(at) & 31)) & PREFIX_MASK;
  return prefix;
}

/** Whether a word, given in lower case, is at `start` in any case. */
export function isWordAt(text: string, start: number, word: string): boolean {
  for (let at = 0; at < word.length; at += 1) {
    const code = text.charCodeAt(start + at);
    const lower = code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
    if (lower !== word.charCodeAt(at)) return false;
  }
  return true;
}
