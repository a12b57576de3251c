const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 1024 * 1024;

/**
 * The lines of a stream of bytes, for looking at them: decoded as UTF-8 with replacement, without their newline, of text that a carriage return
 * overwrote only what came last. Of a line over 1 MiB only the first 1 MiB is kept.
 */
export class StreamLines {
  readonly #onLine: (line: string) => void;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    // The rest of a chunk is copied: it must not keep the whole chunk alive while its line waits.
    if (start < chunk.length) this.#keep(Buffer.from(chunk.subarray(start)));
  }

  /** The last line, when no newline ended it. */
  end(): void {
    if (this.#bytes > 0) this.#finish();
  }

  #keep(part: Buffer): void {
    const kept = part.subarray(0, MAX_LINE_BYTES - this.#bytes);
    if (kept.length === 0) return;
    this.#parts.push(kept);
    this.#bytes += kept.length;
  }

  #finish(): void {
    const [only = EMPTY] = this.#parts;
    const line = (this.#parts.length > 1 ? Buffer.concat(this.#parts) : only).toString('utf8');
    this.#parts = [];
    this.#bytes = 0;
    this.#onLine(visiblePart(line));
  }
}

const EMPTY = Buffer.alloc(0);

/** What stands on the screen of a line in which a progress bar was drawn. */
function visiblePart(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}
