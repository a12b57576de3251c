export const OTHER = 0;
export const LETTER = 1;
export const DIGIT = 2;
export const QUOTE_MARK = 3;
export const MARK = 4;
export const BRACKET = 5;

const UNITS = 0x1_0000;
const ASCII: readonly (readonly [number, string])[] = [
  [LETTER, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$'],
  [DIGIT, '0123456789'],
  [QUOTE_MARK, '"\'`'],
  [MARK, '+-./\\~:=<>*'],
];
/** Ranges of non-ASCII symbols, dashes and punctuation. */
const PUNCTUATION: readonly (readonly [number, number])[] = [
  [0xa1, 0xa9],
  [0xac, 0xb4],
  [0xb6, 0xb9],
  [0xbb, 0xbf],
  [0xd7, 0xd7],
  [0xf7, 0xf7],
  [0x2010, 0x2017],
  [0x2020, 0x205e],
  [0x2190, 0x2bff],
  [0x3001, 0x3003],
  [0x3008, 0x3011],
];
const MORE_QUOTES = '‹›「」『』';
const MORE_MARKS = '−€£¥₹';

/** Token class by UTF-16 unit, as a table because every character of every message is classified. Other non-ASCII characters are letters. */
export const TOKEN_CLASSES: Uint8Array = tokenClasses();

function tokenClasses(): Uint8Array {
  const classes = new Uint8Array(UNITS).fill(LETTER).fill(OTHER, 0, 128);
  const put = (kind: number, members: string) => {
    for (const character of members) classes[character.charCodeAt(0)] = kind;
  };
  for (const [kind, members] of ASCII) put(kind, members);
  for (const [first, last] of PUNCTUATION) classes.fill(OTHER, first, last + 1);
  put(BRACKET, '([{');
  put(QUOTE_MARK, MORE_QUOTES);
  put(MARK, MORE_MARKS);
  return classes.fill(QUOTE_MARK, 0x2018, 0x201f).fill(QUOTE_MARK, 0xab, 0xac).fill(QUOTE_MARK, 0xbb, 0xbc);
}

/** Token class at an index; `OTHER` after the end. */
export function classAt(text: string, at: number): number {
  return at < text.length ? (TOKEN_CLASSES[text.charCodeAt(at)] ?? OTHER) : OTHER;
}

/** Whether a quote mark follows a letter or a digit: then it is an apostrophe or a closing quote. */
export function isInWord(text: string, at: number): boolean {
  if (at === 0) return false;
  const kind = classAt(text, at - 1);
  return kind === LETTER || kind === DIGIT;
}

/** Shapes of a stretch of text without spaces; each includes the ones before. See `holds` in message-pattern.ts. */
export const LETTERS_ONLY = 0;
export const WITH_DIGITS = 1;
export const WITH_DOTS = 2;
export const WITH_COLONS = 3;
/** With slashes, backslashes or at signs. */
export const WITH_SLASHES = 4;
export const SHAPES: readonly number[] = [LETTERS_ONLY, WITH_DIGITS, WITH_DOTS, WITH_COLONS, WITH_SLASHES];

/** A stretch of text without spaces and the largest shape of its tokens. */
export interface Stretch {
  shape: number;
  end: number;
}

const SPACE = 0x20;
const STOP = 255;
const SHAPE_OF_UNIT = new Uint8Array(0x1_0000).fill(STOP);
const MEMBERS: readonly (readonly [number, string])[] = [
  [LETTERS_ONLY, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$%~+-'],
  [WITH_DIGITS, '0123456789'],
  [WITH_DOTS, '.'],
  [WITH_COLONS, ':'],
  [WITH_SLASHES, '/\\@'],
];
for (const [shape, members] of MEMBERS) for (const character of members) SHAPE_OF_UNIT[character.charCodeAt(0)] = shape;

/** Scans the stretch at `start` into `stretch`. Marks before a space end a clause and do not count. Each stretch is scanned once, so the work is linear. */
export function scanStretch(stretch: Stretch, text: string, start: number): void {
  let shape = LETTERS_ONLY;
  let at = start;
  while (at < text.length) {
    const kind = SHAPE_OF_UNIT[text.charCodeAt(at)] ?? STOP;
    if (kind === STOP) break;
    at++;
    if (kind > shape && (kind === WITH_DIGITS || (at < text.length && text.charCodeAt(at) !== SPACE))) shape = kind;
  }
  stretch.shape = shape;
  stretch.end = at;
}

/** Characters of a hyphenated word that are searched for a digit. */
const MAX_HYPHENATED = 120;

/** Whether a word continues after its letters, with a digit or a mark that does not end a clause. */
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

/** Shortest word of `a` to `f` that counts as a hexadecimal identifier without digits. */
const SHORTEST_HEX_WORD = 8;

/** Whether a plain word may be, or begin, a value: a date, hexadecimal digits, or a currency code. */
export function mayBeValue(text: string, start: number, end: number): boolean {
  const length = end - start;
  if (length === 2 || length === 4 || length >= SHORTEST_HEX_WORD) {
    let at = start;
    while (at < end && isHexLetter(text.charCodeAt(at))) at++;
    if (at === end) return true;
  }
  if (text.charCodeAt(start) > 0x5a) return false;
  if (length === 3 && text[end] === ' ' && (classAt(text, end + 1) === DIGIT || text[end + 1] === 't')) return true;
  return length >= 3 && length <= LONGEST_CALENDAR_WORD && CALENDAR_WORDS.has(text.slice(start, start + 3));
}

function isHexLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x66;
}
