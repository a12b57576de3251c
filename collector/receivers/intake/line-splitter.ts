import { HeldBody } from '../../component/ingest-memory.js';
import type { HeldBytes } from '../../http/decompression/chunk-decoder.js';

const NEWLINE = 0x0a;
/** One for all blank lines: megabytes of them would make millions of buffers. */
const BLANK = Buffer.alloc(0);

/** Splits bytes into lines as they arrive, blank lines included, without the newline. A line over the bound is reported once, as undefined. */
export class LineSplitter {
  readonly #maxLineBytes: number;
  /** The start of a line that continues in the next chunk. */
  readonly #partial: HeldBody;
  #isSkipping = false;

  constructor(maxLineBytes: number, held: HeldBytes) {
    this.#maxLineBytes = maxLineBytes;
    this.#partial = new HeldBody(held);
  }

  /** Yields the lines that end in this chunk; iterate to the end to consume the chunk. Throws `RECEIVER_BUSY`. */
  *push(chunk: Buffer): Generator<Buffer | undefined> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      if (this.#isSkipping) this.#isSkipping = false;
      else yield this.#finish(start === end ? BLANK : chunk.subarray(start, end));
      start = end + 1;
    }
    if (start === chunk.length || this.#isSkipping) return;
    this.#partial.add(chunk.subarray(start));
    if (this.#partial.bytes > this.#maxLineBytes) {
      this.release();
      this.#isSkipping = true;
      yield undefined;
    }
  }

  /** Yields the last line if no newline ended it. */
  *end(): Generator<Buffer | undefined> {
    if (this.#partial.bytes > 0) yield this.#finish(BLANK);
  }

  /** Drops an unfinished line; safe to call twice. */
  release(): void {
    this.#partial.discard();
  }

  #finish(last: Buffer): Buffer | undefined {
    const { bytes } = this.#partial;
    const isTooLong = bytes + last.length > this.#maxLineBytes;
    if (bytes === 0) return isTooLong ? undefined : last;
    const line = isTooLong ? undefined : this.#partial.copy(last);
    this.release();
    return line;
  }
}
