import type { Detector } from './detectors.js';

/** Units of a word that the first look takes into account, 5 bits of each: so upper and lower case are alike. */
export const LOOK_MASK = 0x7fff;
/** Of the shortest word, and of the first look. */
export const SHORTEST = 3;
/** What three units may begin: a word, or one of the signs that are looked for only in texts that seem to hold them. */
const BEGINS_WORD = 1;
export const ENCODED_AT = 2;
export const DASHES = 4;
const SIGNS = [
  ['%40', ENCODED_AT],
  ['---', DASHES],
] as const;

interface Word {
  readonly word: string;
  readonly detector: number;
}

/** Which detector is asked where. */
export interface WordTable {
  readonly detectors: readonly Detector[];
  /** By the first look at three units: what they may begin. */
  readonly isBegun: Uint8Array;
  /** Words by that look, with the places of their detectors. */
  readonly wordsByLook: ReadonlyMap<number, readonly Word[]>;
}

/** Sorts the words of detectors by how they begin. */
export function buildWordTable(detectors: readonly Detector[]): WordTable {
  const isBegun = new Uint8Array(LOOK_MASK + 1);
  const wordsByLook = new Map<number, Word[]>();
  for (const [detector, { words }] of detectors.entries()) {
    for (const word of words) {
      const look = lookOf(word);
      isBegun[look] = BEGINS_WORD;
      wordsByLook.set(look, [...(wordsByLook.get(look) ?? []), { word, detector }]);
    }
  }
  for (const [sign, mark] of SIGNS) isBegun[lookOf(sign)] = (isBegun[lookOf(sign)] ?? 0) | mark;
  return { detectors, isBegun, wordsByLook };
}

function lookOf(word: string): number {
  let look = 0;
  for (let at = 0; at < SHORTEST; at += 1) look = ((look << 5) | (word.charCodeAt(at) & 31)) & LOOK_MASK;
  return look;
}

/** Whether a word, given in lower case, stands at a place, in whatever case. */
export function isWordAt(text: string, start: number, word: string): boolean {
  for (let at = 0; at < word.length; at += 1) {
    const code = text.charCodeAt(start + at);
    const lower = code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
    if (lower !== word.charCodeAt(at)) return false;
  }
  return true;
}
