import { closest, distance } from 'fastest-levenshtein';

/** Letters that a word may be away from what was meant. */
const MAX_DISTANCE = 2;
/** Letters of a word from which on what begins with it counts as meant. */
const SHORTEST_BEGINNING = 3;

/** ` Did you mean "…"?` for a word that is nearly one of those, or with which one begins; else nothing. */
export function suggestion(word: string, known: readonly string[]): string {
  const meant = nearest(word, known) ?? continued(word, known);
  return meant === undefined ? '' : ` Did you mean "${meant}"?`;
}

function nearest(word: string, known: readonly string[]): string | undefined {
  // The distance is asked in time that grows with the product of both lengths.
  if (!known.some(({ length }) => Math.abs(length - word.length) <= MAX_DISTANCE)) return undefined;
  const near = closest(word, known);
  return distance(word, near) <= MAX_DISTANCE ? near : undefined;
}

/** `error_name` for `error`: far apart by letters, and yet clear. */
function continued(word: string, known: readonly string[]): string | undefined {
  return word.length < SHORTEST_BEGINNING ? undefined : known.find((one) => one.startsWith(word));
}
