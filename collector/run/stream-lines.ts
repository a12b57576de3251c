const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 1024 * 1024;

/**
 * Splits a byte stream into lines without their newline: decoded as UTF-8 with replacement, without text that a carriage return overwrote, cut at
 * 1 MiB.
 */
export class StreamLines {
  readonly #onLine: (line: string) => void;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#append(chunk.subarray(start, end));
      this.#emitLine();
      start = end + 1;
    }
    // A copy, because the rest must not keep the whole chunk in memory until its line is complete.
    if (start < chunk.length) this.#append(Buffer.from(chunk.subarray(start)));
  }

  /** Emits the last line if it has no newline. */
  end(): void {
    if (this.#bytes > 0) this.#emitLine();
  }

  #append(bytes: Buffer): void {
    const chunk = bytes.subarray(0, MAX_LINE_BYTES - this.#bytes);
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  #emitLine(): void {
    const [only = EMPTY] = this.#chunks;
    const line = (this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : only).toString('utf8');
    this.#chunks = [];
    this.#bytes = 0;
    this.#onLine(visibleText(line));
  }
}

const EMPTY = Buffer.alloc(0);

/** The text of a line with a progress bar that a terminal would show. */
function visibleText(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}
