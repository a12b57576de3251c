import { beforePair } from '../../../core/event/text-pieces.js';

/** Units of a piece: put into lower case in a tenth of a millisecond. */
const PIECE_UNITS = 64 * 1024;
/** Its lower case is another one at the end of a word, the only letter of which that is so. */
const SIGMA = '\u03a3';
/** What ends every word, whatever stands beside it. */
const BORDER = /[ \t\n\r0-9]/g;

/** Pieces that together are the text in lower case, the same as in one go; at least one. Of a text with a capital sigma and without a blank or a digit the rest is one piece. */
export function* lowerPieces(text: string): Generator<string, void, undefined> {
  const hasSigma = text.includes(SIGMA);
  let from = 0;
  while (text.length - from > PIECE_UNITS) {
    const to = hasSigma ? behindBorder(text, from + PIECE_UNITS) : beforePair(text, from + PIECE_UNITS);
    yield text.slice(from, to).toLowerCase();
    from = to;
  }
  yield text.slice(from).toLowerCase();
}

function behindBorder(text: string, from: number): number {
  BORDER.lastIndex = from;
  return BORDER.test(text) ? BORDER.lastIndex : text.length;
}
