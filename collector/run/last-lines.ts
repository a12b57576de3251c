import { cutText } from '../../core/event/text.js';

const MAX_LINES = 50;
const MAX_LENGTH = 64 * 1024;
/** Longer lines are cut, so that one does not displace all others. */
const MAX_LINE_LENGTH = 8 * 1024;

/** The last lines of a program or a stream: at most 50 lines and 65,536 characters. */
export class LastLines {
  readonly #lines: string[] = [];
  #length = 0;

  push(line: string): void {
    const text = cutText(line, MAX_LINE_LENGTH);
    this.#lines.push(text);
    this.#length += text.length;
    while (this.#lines.length > MAX_LINES || this.#length > MAX_LENGTH)
      this.#length -= this.#lines.shift()?.length ?? 0;
  }

  list(): string[] {
    return [...this.#lines];
  }
}
