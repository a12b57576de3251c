export const OTHER = 0;
export const LETTER = 1;
export const DIGIT = 2;
export const QUOTE = 3;
export const MARK = 4;
export const BRACKET = 5;

const UNITS = 0x1_0000;
const ASCII: readonly (readonly [number, string])[] = [
  [LETTER, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$'],
  [DIGIT, '0123456789'],
  [QUOTE, '"\'`'],
  [MARK, '+-./\\~:=<>*'],
];
/** Ranges beyond ASCII that are no letters: signs, dashes, symbols, punctuation. */
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

/**
 * What a UTF-16 unit can be in a message, by unit: typographic quote marks quote, all else beyond ASCII but known punctuation is a letter. Numbers in a
 * table, because every character of every message is classed.
 */
export const TOKEN_CLASSES: Uint8Array = tokenClasses();

function tokenClasses(): Uint8Array {
  const classes = new Uint8Array(UNITS).fill(LETTER).fill(OTHER, 0, 128);
  const put = (kind: number, members: string) => {
    for (const character of members) classes[character.charCodeAt(0)] = kind;
  };
  for (const [kind, members] of ASCII) put(kind, members);
  for (const [first, last] of PUNCTUATION) classes.fill(OTHER, first, last + 1);
  put(BRACKET, '([{');
  put(QUOTE, MORE_QUOTES);
  put(MARK, MORE_MARKS);
  return classes.fill(QUOTE, 0x2018, 0x201f).fill(QUOTE, 0xab, 0xac).fill(QUOTE, 0xbb, 0xbc);
}

/** Class of a unit of a text; `OTHER` behind its end. */
export function classAt(text: string, at: number): number {
  return at < text.length ? (TOKEN_CLASSES[text.charCodeAt(at)] ?? OTHER) : OTHER;
}

/** Whether a quote mark stands behind a letter or a digit: then it is an apostrophe or closes something. */
export function isInWord(text: string, at: number): boolean {
  if (at === 0) return false;
  const kind = classAt(text, at - 1);
  return kind === LETTER || kind === DIGIT;
}
