import { closest, distance } from 'fastest-levenshtein';

/** Letters that a word may be away from what was meant. */
const MAX_DISTANCE = 2;

/** ` Did you mean "…"?` for a word that is nearly one of those; else nothing. */
export function suggestion(word: string, known: readonly string[]): string {
  // The distance is asked in time that grows with the product of both lengths.
  if (!known.some(({ length }) => Math.abs(length - word.length) <= MAX_DISTANCE)) return '';
  const near = closest(word, known);
  return distance(word, near) <= MAX_DISTANCE ? ` Did you mean "${near}"?` : '';
}
