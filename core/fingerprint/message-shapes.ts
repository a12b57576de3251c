/** What a stretch of text without spaces holds at most; each shape may hold what those before it hold. See `holds` in message-pattern.ts. */
export const LETTERS_ONLY = 0;
export const WITH_DIGITS = 1;
export const WITH_DOTS = 2;
export const WITH_COLONS = 3;
/** With slashes, backslashes and at signs: anything. */
export const WITH_SLASHES = 4;
export const SHAPES: readonly number[] = [LETTERS_ONLY, WITH_DIGITS, WITH_DOTS, WITH_COLONS, WITH_SLASHES];

/** A stretch of text whose tokens are of one shape, or of a simpler one. */
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

/** Looks at the stretch that begins at a place. Marks before a space end a clause and do not count. Each stretch is read once, so the work is linear. */
export function readStretch(stretch: Stretch, text: string, start: number): void {
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
