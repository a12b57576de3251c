/** What a terminal could take for a command, or could show in another order than it stands. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const MAX_QUOTED_LENGTH = 80;

/** The text with every control and format character written as an escape, so that it can be shown on one line. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The text in double quotes, cut to 80 UTF-16 code units, with control characters escaped. */
export function quoted(text: string): string {
  const shown = text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text;
  return printable(JSON.stringify(shown));
}
