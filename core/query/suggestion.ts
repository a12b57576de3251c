import { closest, distance } from 'fastest-levenshtein';

/** Largest edit distance of a suggestion. */
const MAX_DISTANCE = 2;
/** Shortest prefix that suggests a longer word. */
const MIN_PREFIX = 3;

/** ` Did you mean "…"?` with a known word that is similar to `word` or begins with it; otherwise empty. */
export function suggestion(word: string, words: readonly string[]): string {
  const meant = similarWord(word, words);
  return meant === undefined ? '' : ` Did you mean "${meant}"?`;
}

/** A known word that is similar to `word` or begins with it. */
export function similarWord(word: string, words: readonly string[]): string | undefined {
  return (
    nearest(word, words) ?? (word.length < MIN_PREFIX ? undefined : words.find((longer) => longer.startsWith(word)))
  );
}

function nearest(word: string, words: readonly string[]): string | undefined {
  // Computing the distance takes time proportional to the product of both lengths.
  if (!words.some(({ length }) => Math.abs(length - word.length) <= MAX_DISTANCE)) return undefined;
  const near = closest(word, words);
  return distance(word, near) <= MAX_DISTANCE ? near : undefined;
}
