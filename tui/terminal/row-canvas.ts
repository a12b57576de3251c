import { Writable } from 'node:stream';
import type { RowPainter } from './row-painter.js';

/** Ink lays out a canvas of this width. */
const CANVAS_COLUMNS = 1;
/** The first of 6,400 private-use characters: one for every row of a frame. */
const FIRST_REFERENCE = 0xe000;
const MAX_REFERENCES = 6_400;

/**
 * What Ink takes for its terminal, with `debug: true` so that every write is a whole frame: hands frames on to the painter. Ink takes text apart into one object per cell and measures
 * each, so a row passes as one character that stands for it, and is put back here.
 * It never tells Ink of a new size (Ink would erase lines that it did not write), and is no terminal in Ink's eyes, so that Ink leaves the cursor alone.
 */
export class RowCanvas extends Writable {
  readonly columns = CANVAS_COLUMNS;
  readonly #painter: RowPainter;
  #rows: string[] = [];

  constructor(painter: RowPainter) {
    super({ decodeStrings: false });
    this.#painter = painter;
  }

  /** The character that stands for a painted row until the frame is complete. */
  refer(row: string): string {
    if (this.#rows.length >= MAX_REFERENCES) return '';
    this.#rows.push(row);
    return String.fromCharCode(FIRST_REFERENCE + this.#rows.length - 1);
  }

  override _write(frame: unknown, _encoding: string, done: () => void): void {
    // Ink ends with an empty write to learn that the others are through, and under CI=1 with a bare newline.
    if (typeof frame === 'string' && frame.trim() !== '') {
      const rows = frame.split('\n').map((line) => this.#rows[line.charCodeAt(0) - FIRST_REFERENCE] ?? '');
      this.#rows = [];
      this.#painter.show(rows);
    }
    done();
  }
}
