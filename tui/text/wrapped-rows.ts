import { glyphAt } from './glyph.js';

/** The rows into which one line of text falls at a width, found only as far as they are asked for. */
export interface WrappedRows {
  /** UTF-16 offsets of the row's start and end, or undefined behind the last row. An empty line has one empty row. */
  row(place: number): { start: number; end: number } | undefined;
  /** Number of rows, counted no further than `atMost`; without it the whole line is wrapped. */
  count(atMost?: number): number;
}

export interface WrapOptions {
  /** Cells of the first row. */
  firstCells: number;
  /** Cells of every further row. */
  restCells: number;
}

const BEYOND_ASCII = /[^\x20-\x7e]/g;

/** Wraps a line without newlines by cells; every row holds at least one glyph, however narrow it is. */
export function wrapRows(text: string, { firstCells, restCells }: WrapOptions): WrappedRows {
  const starts = [0];
  let asciiEnd = -1;

  /** End of the run of printable ASCII from an offset; each run is searched once. */
  function endOfAscii(offset: number): number {
    if (offset >= asciiEnd) {
      BEYOND_ASCII.lastIndex = offset;
      asciiEnd = BEYOND_ASCII.exec(text)?.index ?? text.length;
    }
    return asciiEnd;
  }

  function endOfRow(start: number, cells: number): number {
    // The last character of a run may carry a mark that stands behind it.
    if (endOfAscii(start) > start + cells || endOfAscii(start) === text.length) {
      return Math.min(text.length, start + Math.max(1, cells));
    }
    let offset = start;
    let left = cells;
    while (offset < text.length) {
      const glyph = glyphAt(text, offset);
      if (glyph.cells > left && offset > start) break;
      left -= glyph.cells;
      offset = glyph.end;
    }
    return offset;
  }

  function extendTo(place: number): void {
    while (starts.length <= place + 1) {
      const start = starts.at(-1) ?? 0;
      if (start >= text.length && starts.length > 1) return;
      starts.push(endOfRow(start, starts.length === 1 ? firstCells : restCells));
    }
  }

  return {
    row(place) {
      extendTo(place);
      const start = starts[place];
      const end = starts[place + 1];
      return start === undefined || end === undefined ? undefined : { start, end };
    },
    count(atMost = Number.POSITIVE_INFINITY) {
      extendTo(atMost);
      return Math.min(atMost, starts.length - 1);
    },
  };
}
