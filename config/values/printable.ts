import { wellFormedJson } from './well-formed-json.js';

/** Characters that a terminal could execute, that end a line, that reorder text or that nobody sees, but not the selectors of emoji. */
const HARMFUL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/u;
/** The first character of commands that GitHub runs at the start of a line, such as `::error::`. */
const LINE_COMMAND =
  /(?<=^\s{0,64}):(?=:(?:add|debug|echo|endgroup|error|group|notice|remove|save|set|stop|warning)\b)/u;
/** The second character of commands that CI systems run anywhere in a line, such as `##[error]` and `##vso[task.setvariable]`. */
const COMMAND = /(?<=#)#(?=[a-z]{0,16}\[)/u;
const UNPRINTABLE = new RegExp([HARMFUL, LINE_COMMAND, COMMAND].map(({ source }) => source).join('|'), 'gu');
/** What of this JSON need not escape, and marks that pile up. */
const UNPRINTABLE_IN_JSON =
  /[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?<=\p{M}{4})\p{M}|(?<=#)#(?=[a-z]{0,16}\[)/gu;
/** Texts without a match need no other search, which is slow. */
const MAY_BE_HARMFUL = /[^\n\x20-\x7e]|##/;
/** Characters without a meaning in shells. */
const PLAIN = /^[\w:/.,@%+=-]+$/;
const MAX_QUOTED_LENGTH = 80;

/** The text with harmful characters escaped, safe to print on one line: for every text from outside that is printed or written for people. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** JSON text as of `JSON.stringify` with harmful characters as `\uXXXX`, which is still the same JSON but for halves of surrogate pairs. */
export function printableJson(text: string): string {
  const json = wellFormedJson(text);
  if (!MAY_BE_HARMFUL.test(json)) return json;
  return json.replace(UNPRINTABLE_IN_JSON, (character) => {
    let escaped = '';
    for (let unit = 0; unit < character.length; unit += 1) {
      escaped += `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`;
    }
    return escaped;
  });
}

/** The line in which a command that runs another program says something: one line that no text from outside can break. */
export function noticeLine(text: string): string {
  return `faultline: ${printable(text.replaceAll('\n', ' '))}\n`;
}

/** The text in double quotes, cut to 80 UTF-16 code units, with control characters escaped. */
export function quoted(text: string): string {
  const shown = text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH).toWellFormed()}…` : text;
  return printable(JSON.stringify(shown));
}

/** The text as one word of a POSIX shell. */
export function quotedForShell(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
