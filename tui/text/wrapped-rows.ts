import { glyphAt } from './glyph.js';

export interface WrapOptions {
  firstCells: number;
  /** Of every row after the first. */
  restCells: number;
}

const BEYOND_ASCII = /[^\x20-\x7e]/g;
/** A word that is longer than a row is broken behind the last one of these. */
const BREAK = /[/?&.,:_-](?=[^/?&.,:_-]*$)/;

/** The rows of a line without newlines, wrapped at blanks, and longer words by cells; computed on demand. Every row has a glyph, however narrow it is. */
export class WrappedRows {
  readonly #text: string;
  readonly #options: WrapOptions;
  /** Offsets at which rows start, as far as they were needed. */
  readonly #starts = [0];
  /** Up to where the text is known to be printable ASCII. */
  #asciiEnd = -1;

  constructor(text: string, options: WrapOptions) {
    this.#text = text;
    this.#options = options;
  }

  /** UTF-16 offsets of a row's start and end; undefined after the last row. An empty line has one empty row. */
  row(index: number): { start: number; end: number } | undefined {
    this.#extendTo(index);
    const start = this.#starts[index];
    const end = this.#starts[index + 1];
    if (start === undefined || end === undefined) return undefined;
    const isCut = end < this.#text.length && end > start + 1 && this.#text.charAt(end - 1) === ' ';
    return { start, end: isCut ? end - 1 : end };
  }

  /** Number of rows, counted up to `atMost`, default all. */
  count(atMost = Number.POSITIVE_INFINITY): number {
    this.#extendTo(atMost);
    return Math.min(atMost, this.#starts.length - 1);
  }

  #extendTo(index: number): void {
    const { firstCells, restCells } = this.#options;
    while (this.#starts.length <= index + 1) {
      const start = this.#starts.at(-1) ?? 0;
      if (start >= this.#text.length && this.#starts.length > 1) return;
      const cells = this.#starts.length === 1 ? firstCells : restCells;
      this.#starts.push(this.#endOfWords(start, this.#endOfRow(start, cells)));
    }
  }

  #endOfRow(start: number, cells: number): number {
    const text = this.#text;
    // The last character of a run can have a mark after it.
    if (this.#endOfAscii(start) > start + cells || this.#endOfAscii(start) === text.length) {
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

  /** End of the printable ASCII from an offset; each run is searched once. */
  #endOfAscii(offset: number): number {
    if (offset >= this.#asciiEnd) {
      BEYOND_ASCII.lastIndex = offset;
      this.#asciiEnd = BEYOND_ASCII.exec(this.#text)?.index ?? this.#text.length;
    }
    return this.#asciiEnd;
  }

  /** The end of a row that has room up to `end`: behind its last whole word. */
  #endOfWords(start: number, end: number): number {
    const text = this.#text;
    if (end >= text.length) return end;
    // A blank may stand behind the last cell.
    const row = text.slice(start, end + 1);
    const blank = row.lastIndexOf(' ');
    const wordAt = start + blank + 1;
    const wordEnd = this.#endOfRow(wordAt, this.#options.restCells);
    const fits = wordEnd >= text.length || text.slice(wordAt, wordEnd + 1).includes(' ');
    const sign = BREAK.exec(row.slice(0, -1))?.index ?? -1;
    const index = fits && blank > row.search(/[^ ]/) ? blank : sign;
    const at = start + index;
    // A mark belongs to the character before it.
    return index >= Math.max(blank, 1) && glyphAt(text, at).end === at + 1 ? at + 1 : end;
  }
}
