import { closest, distance } from 'fastest-levenshtein';

/** Largest edit distance of a suggestion. */
const MAX_DISTANCE = 2;
/** Shortest prefix that suggests a longer word. */
const MIN_PREFIX = 3;

/** ` Did you mean "…"?` with a known word that is similar to `word` or begins with it; otherwise empty. */
export function suggestion(word: string, known: readonly string[]): string {
  const meant = similarWord(word, known);
  return meant === undefined ? '' : ` Did you mean "${meant}"?`;
}

/** A known word that is similar to `word` or begins with it. */
export function similarWord(word: string, known: readonly string[]): string | undefined {
  return nearest(word, known) ?? (word.length < MIN_PREFIX ? undefined : known.find((one) => one.startsWith(word)));
}

function nearest(word: string, known: readonly string[]): string | undefined {
  // Computing the distance takes time proportional to the product of both lengths.
  if (!known.some(({ length }) => Math.abs(length - word.length) <= MAX_DISTANCE)) return undefined;
  const near = closest(word, known);
  return distance(word, near) <= MAX_DISTANCE ? near : undefined;
}
