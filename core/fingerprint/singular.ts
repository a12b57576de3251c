const SPACE = 0x20;
const SMALL_A = 0x61;
const SMALL_S = 0x73;
const SMALL_Z = 0x7a;
/** Letters of a noun with its `s`. */
const SHORTEST_NOUN = 4;
const LONGEST_NOUN = 31;
/** What goes on behind its letters is no word of its own. */
const GOES_ON = /[\w'’-]/;
/** What ends in `s` without being a plural. */
const NO_PLURAL = /[sui]$/;
const WITH_ES = /(?:ch|sh|x|ss|zz)e$/;

/** How a counted noun goes on in singular, and where its text ends. */
interface CountedNoun {
  readonly singular: string;
  readonly end: number;
}

/**
 * The singular of a plural noun directly behind a number, with the space before it; null when there is none.
 * It is a rule of spelling, not of grammar: a verb loses its `s` too, which is the same for each occurrence of a message.
 */
export function countedNoun(text: string, at: number): CountedNoun | null {
  if (text.charCodeAt(at) !== SPACE) return null;
  const start = at + 1;
  let end = start;
  while (end - start <= LONGEST_NOUN && isSmallLetter(text.charCodeAt(end))) end++;
  const length = end - start;
  if (length < SHORTEST_NOUN || length > LONGEST_NOUN || text.charCodeAt(end - 1) !== SMALL_S) return null;
  if (GOES_ON.test(text.charAt(end))) return null;
  const stem = text.slice(start, end - 1);
  if (NO_PLURAL.test(stem)) return null;
  if (stem.endsWith('ie')) return { singular: ` ${stem.slice(0, -2)}y`, end };
  return { singular: ` ${WITH_ES.test(stem) ? stem.slice(0, -1) : stem}`, end };
}

function isSmallLetter(unit: number): boolean {
  return unit >= SMALL_A && unit <= SMALL_Z;
}
