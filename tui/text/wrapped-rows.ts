import { glyphAt } from './glyph.js';

/** The rows of a wrapped line, computed on demand. */
export interface WrappedRows {
  /** UTF-16 offsets of a row's start and end; undefined after the last row. An empty line has one empty row. */
  row(index: number): { start: number; end: number } | undefined;
  /** Number of rows, counted up to `atMost`, default all. */
  count(atMost?: number): number;
}

export interface WrapOptions {
  firstCells: number;
  /** Of every row after the first. */
  restCells: number;
}

const BEYOND_ASCII = /[^\x20-\x7e]/g;

/** Wraps a line without newlines by cells; every row has at least one glyph, however narrow it is. */
export function wrapRows(text: string, { firstCells, restCells }: WrapOptions): WrappedRows {
  const starts = [0];
  let asciiEnd = -1;

  /** End of the printable ASCII from an offset; each run is searched once. */
  function endOfAscii(offset: number): number {
    if (offset >= asciiEnd) {
      BEYOND_ASCII.lastIndex = offset;
      asciiEnd = BEYOND_ASCII.exec(text)?.index ?? text.length;
    }
    return asciiEnd;
  }

  function endOfRow(start: number, cells: number): number {
    // The last character of a run can have a mark after it.
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

  function extendTo(index: number): void {
    while (starts.length <= index + 1) {
      const start = starts.at(-1) ?? 0;
      if (start >= text.length && starts.length > 1) return;
      starts.push(endOfRow(start, starts.length === 1 ? firstCells : restCells));
    }
  }

  return {
    row(index) {
      extendTo(index);
      const start = starts[index];
      const end = starts[index + 1];
      return start === undefined || end === undefined ? undefined : { start, end };
    },
    count(atMost = Number.POSITIVE_INFINITY) {
      extendTo(atMost);
      return Math.min(atMost, starts.length - 1);
    },
  };
}
