import { ANNOUNCING_WORDS, ANNOUNCING_WORDS_SINCE_2, type PatternVersion } from './message-patterns/message-pattern.js';

/** Tells whether a word of a text, in any case, announces a value. */
export type Announces = (text: string, start: number, end: number) => boolean;

const LONGEST = 14;
const LETTERS = 32;

/** Builds the question for a version. Most words are refused by first letter and length alone. */
export function announcesIn(version: PatternVersion): Announces {
  const words = new Set([...ANNOUNCING_WORDS, ...(version > 1 ? ANNOUNCING_WORDS_SINCE_2 : [])]);
  // By letter of the alphabet, one bit for each length.
  const lengths = new Uint32Array(LETTERS);
  for (const word of words) {
    const letter = word.charCodeAt(0) % LETTERS;
    lengths[letter] = (lengths[letter] ?? 0) | (1 << word.length);
  }
  return (text, start, end) => {
    const length = end - start;
    if (length > LONGEST) return false;
    const unit = text.charCodeAt(start);
    // KELVIN SIGN is the one character beyond ASCII whose small letter is ASCII, and no word begins with a k.
    if (unit > 0x7f || ((lengths[unit % LETTERS] ?? 0) & (1 << length)) === 0) return false;
    return words.has(text.slice(start, end).toLowerCase());
  };
}
