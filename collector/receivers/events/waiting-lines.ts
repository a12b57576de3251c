import type { SplitLine } from '../line-splitter.js';

const MAX_LINES = 500;
const MAX_BYTES = 1024 * 1024;

/**
 * Lines that have arrived and are not parsed yet. Parsed as they arrive, the events of all connections would grow up together, and live long enough
 * to be copied twice by the collector of garbage; bytes are never copied. So lines wait until a batch is there, and are parsed in one go.
 */
export class WaitingLines {
  #lines: SplitLine[] = [];
  #bytes = 0;

  add(line: SplitLine): void {
    this.#lines.push(line);
    if (line.kind === 'line') this.#bytes += line.bytes.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#lines.length >= MAX_LINES || this.#bytes >= MAX_BYTES;
  }

  /** The lines so far, which wait no more. */
  take(): readonly SplitLine[] {
    const lines = this.#lines;
    this.#lines = [];
    this.#bytes = 0;
    return lines;
  }
}
