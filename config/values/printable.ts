/** Characters that a terminal could execute or use to reorder text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Characters without a meaning in shells. */
const PLAIN = /^[\w:/.,@%+=-]+$/;
const MAX_QUOTED_LENGTH = 80;

/** The text with control and format characters escaped, safe to print on one line. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The text in double quotes, cut to 80 UTF-16 code units, with control characters escaped. */
export function quoted(text: string): string {
  const shown = text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text;
  return printable(JSON.stringify(shown));
}

/** The text as one word of a POSIX shell. */
export function quotedForShell(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
