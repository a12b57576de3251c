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
