/** Stands for a lone dash while yargs 18.2 parses, which leaves one out of a list of positionals. */
const DASH = '\u0000-';

/** A word of the command line as yargs may see it. */
export function hiddenDash(word: string): string {
  return word === '-' ? DASH : word;
}

/** The word as it was typed. */
export function shownDash(word: string): string {
  return word === DASH ? '-' : word;
}
