/** The first `maxUnits` UTF-16 units of a text, one fewer if the cut would split a surrogate pair. */
export function cutText(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  return text.slice(0, beforeSurrogatePair(text, maxUnits));
}

/** Orders texts by UTF-16 units. */
export function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

const PIECE_UNITS = 64 * 1024;

/** Yields the text in one or more pieces of at most 65,536 UTF-16 units, for work that pauses in between; never splits a surrogate pair. */
export function* textPieces(text: string): Generator<string, void, undefined> {
  let from = 0;
  while (text.length - from > PIECE_UNITS) {
    const to = beforeSurrogatePair(text, from + PIECE_UNITS);
    yield text.slice(from, to);
    from = to;
  }
  yield from === 0 ? text : text.slice(from);
}

/** The index, or one less if it lies within a surrogate pair. */
export function beforeSurrogatePair(text: string, index: number): number {
  const splits = (text.charCodeAt(index - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(index) & 0xfc00) === 0xdc00;
  return splits ? index - 1 : index;
}

/** Escape sequences of terminals: colours, links, titles. */
export const TERMINAL_SEQUENCE =
  /\u001b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|\][^\u0007\u001b]{0,256}(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
/** Control characters, line separators, and characters that change the writing direction or have no width. */
const INVISIBLE =
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb]+/g;
const SPACES = / {2,}/g;
const NOT_PRINTABLE_ASCII = /[^\u0020-\u007e]/;
const SPACE = 0x20;

/** The text as one well-formed, trimmed line without terminal sequences; invisible characters become spaces. */
export function plainText(text: string): string {
  if (!NOT_PRINTABLE_ASCII.test(text)) {
    const isSpaced = text.charCodeAt(0) === SPACE || text.charCodeAt(text.length - 1) === SPACE || text.includes('  ');
    return isSpaced ? text.replace(SPACES, ' ').trim() : text;
  }
  return text.replace(TERMINAL_SEQUENCE, '').replace(INVISIBLE, ' ').toWellFormed().replace(SPACES, ' ').trim();
}
