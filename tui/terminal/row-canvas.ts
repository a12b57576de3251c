import { Writable } from 'node:stream';
import type { RowPainter } from './row-painter.js';

/** The width that Ink sees. */
const CANVAS_COLUMNS = 1;
/** The first of 6,400 private-use characters, one for each row of a frame. */
const FIRST_REFERENCE = 0xe000;
const MAX_REFERENCES = 6_400;

/**
 * The stdout of Ink: forwards frames to the painter. `debug: true` makes every write a whole frame. Ink measures each cell
 * of a text, so a row passes through it as one character and is replaced here. Ink gets neither resize events, after which
 * it would erase lines, nor `isTTY`, so that it does not move the cursor.
 */
export class RowCanvas extends Writable {
  readonly columns = CANVAS_COLUMNS;
  readonly #painter: RowPainter;
  #rows: string[] = [];

  constructor(painter: RowPainter) {
    super({ decodeStrings: false });
    this.#painter = painter;
  }

  /** Registers a painted row and returns the character that stands for it in this frame. */
  refer(row: string): string {
    if (this.#rows.length >= MAX_REFERENCES) return '';
    this.#rows.push(row);
    return String.fromCharCode(FIRST_REFERENCE + this.#rows.length - 1);
  }

  override _write(frame: unknown, _encoding: string, done: () => void): void {
    // Ink ends with an empty write, or with a bare newline under CI=1.
    if (typeof frame === 'string' && frame.trim() !== '') {
      const rows = frame.split('\n').map((line) => this.#rows[line.charCodeAt(0) - FIRST_REFERENCE] ?? '');
      this.#rows = [];
      this.#painter.show(rows);
    }
    done();
  }
}
