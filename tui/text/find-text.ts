/** What is looked for. */
export interface Needle {
  /** In small letters unless `isExact`. */
  readonly text: string;
  /** Whether capital letters count: where it was typed with one. */
  readonly isExact: boolean;
}

/** Characters of a needle that count, in UTF-16 units: what bounds the time of a search. */
const MAX_NEEDLE = 100;
/** Places that are told apart in one text. */
export const MAX_HITS = 10_000;

/** What was typed as a needle; undefined where nothing was. */
export function needleOf(typed: string): Needle | undefined {
  const text = typed.slice(0, MAX_NEEDLE);
  if (text === '') return undefined;
  const small = inSmallLetters(text);
  return { text: small === text ? small : text, isExact: small !== text };
}

/** UTF-16 offsets at which a text holds the needle, at most `atMost`; they do not overlap. */
export function findIn(text: string, needle: Needle, atMost: number = MAX_HITS): number[] {
  const searched = needle.isExact ? text : inSmallLetters(text);
  const found: number[] = [];
  let at = searched.indexOf(needle.text);
  while (at >= 0 && found.length < atMost) {
    found.push(at);
    at = searched.indexOf(needle.text, at + needle.text.length);
  }
  return found;
}

/** Small letters of the same length, so that offsets stay. */
function inSmallLetters(text: string): string {
  const small = text.toLowerCase();
  return small.length === text.length ? small : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
