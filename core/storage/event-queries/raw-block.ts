import { findHiddenLetters, type HiddenLetters } from './byte-search.js';

/** Bytes of one file, read at once, and the raw lines in it that are looked at. */
export class RawBlock {
  readonly bytes: Buffer;
  /** Where each line begins, ascending. */
  readonly starts: Int32Array;
  /** After the last byte of each line, without its newline; what lies between two lines is not looked at. */
  readonly ends: Int32Array;
  #hidden: HiddenLetters | undefined;

  constructor(bytes: Buffer, starts: Int32Array, ends: Int32Array) {
    this.bytes = bytes;
    this.starts = starts;
    this.ends = ends;
  }

  /** Looked for when first asked. */
  get hidden(): HiddenLetters {
    this.#hidden ??= findHiddenLetters(this.bytes);
    return this.#hidden;
  }

  /** Tells a visitor of each of some ascending offsets that lie in a line, and of which line. */
  visitLines(offsets: readonly number[], visit: (line: number) => void): void {
    let line = 0;
    for (const offset of offsets) {
      while (line < this.ends.length && (this.ends[line] ?? 0) <= offset) line += 1;
      if (line === this.ends.length) return;
      if (offset >= (this.starts[line] ?? 0)) visit(line);
    }
  }
}
