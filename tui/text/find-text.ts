/** A search text. */
export interface Needle {
  /** In lower case unless `isExact`. */
  readonly text: string;
  /** Whether case matters: it was typed with a capital letter. */
  readonly isExact: boolean;
}

/** UTF-16 units; bounds the time of a search. */
const MAX_NEEDLE = 100;
/** Default limit of matches in one text. */
export const MAX_HITS = 10_000;

/** Makes a needle of what was typed; undefined if it is empty. */
export function toNeedle(typed: string): Needle | undefined {
  const text = typed.slice(0, MAX_NEEDLE);
  if (text === '') return undefined;
  return { text, isExact: toLowerCase(text) !== text };
}

/** Returns the UTF-16 offsets of at most `atMost` matches, which do not overlap. */
export function findOffsets(text: string, needle: Needle, atMost: number = MAX_HITS): number[] {
  const searched = needle.isExact ? text : toLowerCase(text);
  const found: number[] = [];
  let at = searched.indexOf(needle.text);
  while (at >= 0 && found.length < atMost) {
    found.push(at);
    at = searched.indexOf(needle.text, at + needle.text.length);
  }
  return found;
}

/** Lower case of the same length, so that offsets stay valid. */
function toLowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
