import { classAt, DIGIT, LETTER, MARK } from './message-tokens.js';

/** Characters of a word with hyphens that are looked through for a digit. */
const MAX_HYPHENATED = 120;
const SPACE = 0x20;

/** Whether a word goes on behind its letters: with a digit, or with a mark that does not end a sentence or a clause. */
export function isCompound(text: string, end: number): boolean {
  if (end >= text.length || text.charCodeAt(end) === SPACE) return false;
  let at = end;
  while (text[at] === '-' && at < end + MAX_HYPHENATED && classAt(text, at + 1) === LETTER) {
    at += 2;
    while (classAt(text, at) === LETTER) at++;
  }
  if (at >= text.length) return false;
  const kind = classAt(text, at);
  if (kind === DIGIT) return true;
  const mark = text[at] ?? ' ';
  if (kind === MARK ? '=<>*'.includes(mark) : mark !== '@' && mark !== '%') return false;
  const next = classAt(text, at + 1);
  return next === LETTER || next === DIGIT || '/\\:-'.includes(text[at + 1] ?? ' ');
}

const CALENDAR_WORDS: ReadonlySet<string> = new Set(
  'Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'.split('|'),
);
const LONGEST_CALENDAR_WORD = 9;

/** Letters that a random hexadecimal identifier has without a digit among them now and then. */
const SHORTEST_HEX_WORD = 8;

/** Whether a plain word may be, or begin, a value: a date, hexadecimal digits, the code of a currency. */
export function mayBeValue(text: string, start: number, end: number): boolean {
  const length = end - start;
  if (length === 2 || length === 4 || length >= SHORTEST_HEX_WORD) {
    let at = start;
    while (at < end && isHexLetter(text.charCodeAt(at))) at++;
    if (at === end) return true;
  }
  if (text.charCodeAt(start) > 0x5a) return false;
  if (length === 3 && text[end] === ' ' && classAt(text, end + 1) === DIGIT) return true;
  return length >= 3 && length <= LONGEST_CALENDAR_WORD && CALENDAR_WORDS.has(text.slice(start, start + 3));
}

function isHexLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x66;
}
