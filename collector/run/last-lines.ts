import { cutText } from '../../core/event/cut-text.js';

const MAX_LINES = 50;
const MAX_LENGTH = 64 * 1024;
/** Of one line its end is cut, so that it does not push out all others. */
const MAX_LINE_LENGTH = 8 * 1024;

/** The last lines that a program printed, over all its streams: at most 50, together at most 65,536 characters. */
export class LastLines {
  readonly #lines: string[] = [];
  #length = 0;

  push(line: string): void {
    const kept = cutText(line, MAX_LINE_LENGTH);
    this.#lines.push(kept);
    this.#length += kept.length;
    while (this.#lines.length > MAX_LINES || this.#length > MAX_LENGTH)
      this.#length -= this.#lines.shift()?.length ?? 0;
  }

  list(): string[] {
    return [...this.#lines];
  }
}
