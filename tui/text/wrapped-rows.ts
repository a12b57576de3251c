import { glyphAt } from './glyph.js';

/** The rows of a wrapped line, computed on demand. */
export type WrappedRows = ReturnType<typeof wrapRows>;

export interface WrapOptions {
  firstCells: number;
  /** Of every row after the first. */
  restCells: number;
}

const BEYOND_ASCII = /[^\x20-\x7e]/g;
/** A word that is longer than a row is broken behind the last one of these. */
const BREAK = /[/?&.,:_-](?=[^/?&.,:_-]*$)/;

/** Wraps a line without newlines at blanks, and longer words by cells; every row has at least one glyph, however narrow it is. */
export function wrapRows(text: string, { firstCells, restCells }: WrapOptions) {
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

  /** The end of a row that has room up to `end`: behind its last whole word. */
  function endOfWords(start: number, end: number): number {
    if (end >= text.length) return end;
    // A blank may stand behind the last cell.
    const row = text.slice(start, end + 1);
    const blank = row.lastIndexOf(' ');
    const wordAt = start + blank + 1;
    const wordEnd = endOfRow(wordAt, restCells);
    const fits = wordEnd >= text.length || text.slice(wordAt, wordEnd + 1).includes(' ');
    const sign = BREAK.exec(row.slice(0, -1))?.index ?? -1;
    const index = fits && blank > row.search(/[^ ]/) ? blank : sign;
    const at = start + index;
    // A mark belongs to the character before it.
    return index >= Math.max(blank, 1) && glyphAt(text, at).end === at + 1 ? at + 1 : end;
  }

  function extendTo(index: number): void {
    while (starts.length <= index + 1) {
      const start = starts.at(-1) ?? 0;
      if (start >= text.length && starts.length > 1) return;
      starts.push(endOfWords(start, endOfRow(start, starts.length === 1 ? firstCells : restCells)));
    }
  }

  return {
    /** UTF-16 offsets of a row's start and end; undefined after the last row. An empty line has one empty row. */
    row(index: number): { start: number; end: number } | undefined {
      extendTo(index);
      const start = starts[index];
      const end = starts[index + 1];
      if (start === undefined || end === undefined) return undefined;
      const isCut = end < text.length && end > start + 1 && text.charAt(end - 1) === ' ';
      return { start, end: isCut ? end - 1 : end };
    },
    /** Number of rows, counted up to `atMost`, default all. */
    count(atMost = Number.POSITIVE_INFINITY): number {
      extendTo(atMost);
      return Math.min(atMost, starts.length - 1);
    },
  };
}
