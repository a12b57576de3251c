/** The first `maxUnits` UTF-16 units of a text, one fewer where the cut would part a surrogate pair. */
export function cutText(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  return text.slice(0, beforePair(text, maxUnits));
}

/** Units of a piece: looked at, or written, in well under a millisecond. */
const PIECE_UNITS = 64 * 1024;

/** The text in pieces of at most 65,536 UTF-16 units, at least one, for work that pauses in between; no cut parts a surrogate pair. */
export function* textPieces(text: string): Generator<string, void, undefined> {
  let from = 0;
  while (text.length - from > PIECE_UNITS) {
    const to = beforePair(text, from + PIECE_UNITS);
    yield text.slice(from, to);
    from = to;
  }
  yield from === 0 ? text : text.slice(from);
}

/** The place, or the one before it where it lies within a surrogate pair. */
export function beforePair(text: string, place: number): number {
  const parts = (text.charCodeAt(place - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(place) & 0xfc00) === 0xdc00;
  return parts ? place - 1 : place;
}

/** Escape sequences of terminals: colours, links, titles. */
const TERMINAL_SEQUENCE =
  /\u001b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|\][^\u0007\u001b]{0,256}(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
/** Control characters, separators of lines, and marks that change the direction of writing or have no width. */
const UNSEEN =
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb]+/g;
const SPACES = / {2,}/g;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const NOT_PRINTABLE_ASCII = /[^\u0020-\u007e]/;
const SPACE = 0x20;

/** A text on one line that no terminal takes for an order: spaces for whatever is not seen, well-formed, trimmed. */
export function plainText(text: string): string {
  if (!NOT_PRINTABLE_ASCII.test(text)) {
    const isSpaced = text.charCodeAt(0) === SPACE || text.charCodeAt(text.length - 1) === SPACE || text.includes('  ');
    return isSpaced ? text.replace(SPACES, ' ').trim() : text;
  }
  return text
    .replace(TERMINAL_SEQUENCE, '')
    .replace(UNSEEN, ' ')
    .replace(LONE_SURROGATE, '\ufffd')
    .replace(SPACES, ' ')
    .trim();
}
