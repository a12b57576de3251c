import { Writable } from 'node:stream';
import type { RowPainter } from './row-painter.js';
import type { RowReferences } from './row-references.js';

/** Ink lays out a canvas of this width; see `row-references.ts`. */
const CANVAS_COLUMNS = 1;

/**
 * What Ink takes for its terminal, with `debug: true` so that every write is a whole frame: hands frames on to the painter.
 * It never tells Ink of a new size (Ink would erase lines that it did not write), and is no terminal in Ink's eyes, so that Ink leaves the cursor alone.
 */
export class RowDiffStream extends Writable {
  readonly columns = CANVAS_COLUMNS;
  readonly #painter: RowPainter;
  readonly #references: RowReferences;

  constructor(painter: RowPainter, references: RowReferences) {
    super({ decodeStrings: false });
    this.#painter = painter;
    this.#references = references;
  }

  override _write(frame: unknown, _encoding: string, done: () => void): void {
    // Ink ends with an empty write to learn that the others are through, and under CI=1 with a bare newline.
    const rows = typeof frame === 'string' && frame.trim() !== '' ? this.#references.resolve(frame) : [];
    if (rows.length > 0) this.#painter.show(rows);
    done();
  }
}
