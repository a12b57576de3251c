import { LogLineSplitter } from '../receivers/file-log/log-line-splitter.js';

const MAX_LINE_BYTES = 1024 * 1024;

/**
 * Splits a byte stream into lines without their newline: decoded as UTF-8 with replacement, without text that a carriage return overwrote, cut at
 * 1 MiB.
 */
export class StreamLines {
  readonly #onLine: (line: string) => void;
  readonly #lines = new LogLineSplitter(0, MAX_LINE_BYTES);

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    for (const { text } of this.#lines.push(chunk)) this.#onLine(visibleText(text));
  }

  /** Emits the last line if it has no newline. */
  end(): void {
    const rest = this.#lines.rest();
    if (rest !== undefined) this.#onLine(visibleText(rest.text));
  }
}

/** The text of a line with a progress bar that a terminal would show. */
function visibleText(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}
