import { distance } from 'fastest-levenshtein';

const MAX_WORD_LENGTH = 64;
/** Bounds the comparisons: 9,000 references to 9,000 components would take minutes. */
const MAX_CANDIDATES = 500;
const MIN_PREFIX_LENGTH = 3;

/** The candidate most similar to a mistyped word, ignoring case; undefined if none is similar. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MAX_WORD_LENGTH || candidates.length > MAX_CANDIDATES) return undefined;
  const typed = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const edits = distance(typed, candidate.toLowerCase());
    if (edits < bestDistance) [best, bestDistance] = [candidate, edits];
  }
  return best ?? candidates.find((candidate) => isPrefix(typed, candidate.toLowerCase()));
}

/** `warning` for `warn`, `dir` for `directory`: too many edits for the distance. */
function isPrefix(typed: string, candidate: string): boolean {
  const shorter = Math.min(typed.length, candidate.length);
  return shorter >= MIN_PREFIX_LENGTH && typed.slice(0, shorter) === candidate.slice(0, shorter);
}
