export const OTHER = 0;
export const LETTER = 1;
export const DIGIT = 2;
export const QUOTE = 3;
export const MARK = 4;

/** What a character can be in a message. Numbers, because every character of every message is classed. */
export type TokenClass = typeof OTHER | typeof LETTER | typeof DIGIT | typeof QUOTE | typeof MARK;

const MEMBERS: readonly (readonly [TokenClass, string])[] = [
  [LETTER, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$'],
  [DIGIT, '0123456789'],
  [QUOTE, '"\'`'],
  [MARK, '+-./\\~:=<>*'],
];
const ASCII: readonly TokenClass[] = Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  return MEMBERS.find(([, members]) => members.includes(character))?.[0] ?? OTHER;
});

/** Class of a UTF-16 unit; NaN, as behind the end of a text, is `OTHER`. Typographic quote marks quote, all else beyond ASCII is a letter. */
export function classOf(unit: number): TokenClass {
  if (unit < 128) return ASCII[unit] ?? OTHER;
  if (Number.isNaN(unit)) return OTHER;
  return (unit >= 0x2018 && unit <= 0x201e) || unit === 0xab || unit === 0xbb ? QUOTE : LETTER;
}

/** Characters of a word with hyphens that are looked through for a digit. */
const MAX_HYPHENATED = 120;

/** Whether a word goes on behind its letters: with a digit, or with a mark that does not end a sentence or a clause. */
export function isCompound(text: string, end: number): boolean {
  let at = end;
  while (text[at] === '-' && at < end + MAX_HYPHENATED && classOf(text.charCodeAt(at + 1)) === LETTER) {
    at += 2;
    while (at < text.length && classOf(text.charCodeAt(at)) === LETTER) at++;
  }
  const kind = classOf(text.charCodeAt(at));
  if (kind === DIGIT) return true;
  const mark = text[at] ?? ' ';
  if (kind === MARK ? '=<>*'.includes(mark) : mark !== '@' && mark !== '%') return false;
  const next = classOf(text.charCodeAt(at + 1));
  return next === LETTER || next === DIGIT || '/\\:-'.includes(text[at + 1] ?? ' ');
}

/** Whether a quote mark stands behind a letter or a digit: then it is an apostrophe or closes something. */
export function isInWord(text: string, at: number): boolean {
  const kind = at === 0 ? OTHER : classOf(text.charCodeAt(at - 1));
  return kind === LETTER || kind === DIGIT;
}

const CALENDAR_WORD = /(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}[, ]/y;
const LONGEST_CALENDAR_WORD = 9;

/** Whether a plain word may begin a date. */
export function isCalendarWord(text: string, start: number, end: number): boolean {
  if (end - start > LONGEST_CALENDAR_WORD || text.charCodeAt(start) > 0x5a) return false;
  CALENDAR_WORD.lastIndex = start;
  return CALENDAR_WORD.test(text);
}
