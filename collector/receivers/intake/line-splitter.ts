import { HeldBody, type HeldBytes } from '../../component/ingest-memory.js';

const NEWLINE = 0x0a;

/**
 * Splits bytes into lines as they arrive. Lines come without their newline, blank ones too.
 * A line over the bound is undefined, once and as soon as it is over, and not kept.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  /** The beginning of a line that did not end with its chunk. */
  readonly #begun: HeldBody;
  #isSkipping = false;

  constructor(maxLineBytes: number, held: HeldBytes) {
    this.#maxLineBytes = maxLineBytes;
    this.#begun = new HeldBody(held);
  }

  /** The lines that end in this chunk; the chunk is used up only when the iteration is. Throws `RECEIVER_BUSY`. */
  *push(chunk: Buffer): Generator<Buffer | undefined> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      if (this.#isSkipping) this.#isSkipping = false;
      else yield this.#finish(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start === chunk.length || this.#isSkipping) return;
    this.#begun.add(chunk.subarray(start));
    if (this.#begun.bytes > this.#maxLineBytes) {
      this.release();
      this.#isSkipping = true;
      yield undefined;
    }
  }

  /** The last line, when no newline ended it. */
  *end(): Generator<Buffer | undefined> {
    if (this.#begun.bytes > 0) yield this.#finish(Buffer.alloc(0));
  }

  /** Lets go of an unfinished line; safe to call twice. */
  release(): void {
    this.#begun.drop();
  }

  #finish(last: Buffer): Buffer | undefined {
    const { bytes } = this.#begun;
    const isTooLong = bytes + last.length > this.#maxLineBytes;
    if (bytes === 0) return isTooLong ? undefined : last;
    const line = isTooLong ? undefined : this.#begun.copy(last);
    this.release();
    return line;
  }
}
