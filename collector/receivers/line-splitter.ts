import { HeldBody } from './held-body.js';
import type { HeldBytes } from './ingest-memory.js';

const NEWLINE = 0x0a;

/** What a line was found to be. */
export type SplitLine = { readonly kind: 'line'; readonly bytes: Buffer } | { readonly kind: 'too_long' };

/**
 * Splits bytes into lines as they arrive. Lines come without their newline, blank ones too.
 * A line over the bound is reported once, as soon as it is, and not kept.
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
  *push(chunk: Buffer): Generator<SplitLine> {
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
      yield { kind: 'too_long' };
    }
  }

  /** The last line, when no newline ended it. */
  *end(): Generator<SplitLine> {
    if (this.#begun.bytes > 0) yield this.#finish(Buffer.alloc(0));
  }

  /** Lets go of an unfinished line; safe to call twice. */
  release(): void {
    this.#begun.drop();
  }

  #finish(last: Buffer): SplitLine {
    const { bytes } = this.#begun;
    const isTooLong = bytes + last.length > this.#maxLineBytes;
    const line: SplitLine = isTooLong
      ? { kind: 'too_long' }
      : { kind: 'line', bytes: bytes === 0 ? last : this.#begun.copy(last) };
    if (bytes > 0) this.release();
    return line;
  }
}
