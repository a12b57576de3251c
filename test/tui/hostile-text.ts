const from = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, step) => String.fromCodePoint(first + step));

/** A colour that the terminal never uses: if it occurs, a sequence of the sender was written. */
export const FOREIGN_STYLE = '48;5;201';

/** Sequences that a terminal interprets and characters that a reader cannot see, each followed by a letter. */
const PIECES: readonly string[] = [
  // Sequences of seven and eight bits.
  `\u001b[${FOREIGN_STYLE}mC`,
  `\u009b${FOREIGN_STYLE}mD`,
  '\u001b[2J\u001b[10;10HE',
  '\u001b[?1049lF',
  '\u001b[6nG',
  '\u001b]0;title\u0007H',
  '\u001b]8;;http://evil.example/\u001b\\link\u001b]8;;\u001b\\I',
  '\u001b]52;c;ZXZpbA==\u0007J',
  '\u009d52;c;ZXZpbA==\u009cK',
  '\u001bP1$r0m\u001b\\L',
  '\u0090+q544e\u009cM',
  '\u001b_Gf=100;AAAA\u001b\\N',
  '\u009fapc\u009cO',
  '\u001bXsos\u001b\\P',
  '\u0098sos\u009cQ',
  '\u001b^pm\u001b\\R',
  '\u009epm\u009cS',
  '\u001bcT',
  '\u001b#8U',
  '\u001b(0V',
  '\r\nW',
  '\u001b',
  // Single characters.
  ...from(0x00, 0x1f),
  ...from(0x7f, 0x9f),
  ...['\u061c', ...from(0x200b, 0x200f), ...from(0x2028, 0x202e), ...from(0x2060, 0x206f)],
  ...['\u00ad', '\u034f', '\u115f', '\u180e', '\u3164', '\ufe0f', '\ufeff', '\uffa0', '\ufff9'],
  ...[0xe0001, 0xe0041, 0xe007f, 0xe0100].map((codePoint) => String.fromCodePoint(codePoint)),
  ...['\ud800', '\udc00', '\udfff\ud800'],
  // Marks without a letter, many marks on one letter, and characters of two cells.
  '\u0301',
  `e${'\u0301'.repeat(20)}`,
  '漢字',
];

/** More fills the widest screen, and only makes it slow to draw. */
const PIECES_OF_A_TEXT = 30;

/** A text of consecutive pieces that begins at a different one for each number. */
export function hostileText(number: number): string {
  const start = number % PIECES.length;
  return [...PIECES, ...PIECES].slice(start, start + PIECES_OF_A_TEXT).join('x');
}

/** The number of texts that begin differently. */
export const HOSTILE_TEXTS = PIECES.length;
