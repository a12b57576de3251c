import { classAt, DIGIT, LETTER, MARK, type TokenClasses } from './message-tokens.js';

/** Characters of a word with hyphens that are looked through for a digit. */
const MAX_HYPHENATED = 120;
const SPACE = 0x20;

/** Whether a word goes on behind its letters: with a digit, or with a mark that does not end a sentence or a clause. */
export function isCompound(classes: TokenClasses, text: string, end: number): boolean {
  if (end >= text.length || text.charCodeAt(end) === SPACE) return false;
  let at = end;
  while (text[at] === '-' && at < end + MAX_HYPHENATED && classAt(classes, text, at + 1) === LETTER) {
    at += 2;
    while (classAt(classes, text, at) === LETTER) at++;
  }
  if (at >= text.length) return false;
  const kind = classAt(classes, text, at);
  if (kind === DIGIT) return true;
  const mark = text[at] ?? ' ';
  if (kind === MARK ? '=<>*'.includes(mark) : mark !== '@' && mark !== '%') return false;
  const next = classAt(classes, text, at + 1);
  return next === LETTER || next === DIGIT || '/\\:-'.includes(text[at + 1] ?? ' ');
}

const CALENDAR = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const CALENDAR_WORDS: ReadonlySet<string> = new Set(CALENDAR.split('|'));
const IN_DATE = new RegExp(`(?:${CALENDAR})[a-z]{0,6}[, ]`, 'y');
const LONGEST_CALENDAR_WORD = 9;

/** Whether a plain word may begin a date. */
export function isCalendarWord(text: string, start: number, end: number): boolean {
  if (!mayBeCalendarWord(text, start, end)) return false;
  IN_DATE.lastIndex = start;
  return IN_DATE.test(text);
}

function mayBeCalendarWord(text: string, start: number, end: number): boolean {
  const length = end - start;
  if (length < 3 || length > LONGEST_CALENDAR_WORD || text.charCodeAt(start) > 0x5a) return false;
  return CALENDAR_WORDS.has(text.slice(start, start + 3));
}

/** Letters that a random hexadecimal identifier has without a digit among them now and then. */
const SHORTEST_HEX_WORD = 8;

/** Whether a plain word may be, or begin, a value in version 2: a date, hexadecimal digits, the code of a currency. */
export function mayBeValue(classes: TokenClasses, text: string, start: number, end: number): boolean {
  const length = end - start;
  if (length === 2 || length === 4 || length >= SHORTEST_HEX_WORD) {
    let at = start;
    while (at < end && isHexLetter(text.charCodeAt(at))) at++;
    if (at === end) return true;
  }
  if (text.charCodeAt(start) > 0x5a) return false;
  if (length === 3 && text[end] === ' ' && classAt(classes, text, end + 1) === DIGIT) return true;
  return mayBeCalendarWord(text, start, end);
}

function isHexLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x66;
}
