import { MAX_HEAD_BYTES } from './decode-limits.js';
import { otlpInvalid } from './otlp-invalid.js';

/** Part of a text from which long lists are cut while it is passed, so that the rest is short enough to be parsed in one go. */
export class CutText {
  readonly #bytes: Buffer;
  #from: number;
  #text = '';

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.#from = start;
  }

  /** Puts `stand` in place of what lies from `start` to `end`. */
  cut(start: number, end: number, stand: string): void {
    this.#text = this.upTo(start) + stand;
    this.#from = end;
  }

  /** The text up to `end`. Throws `OTLP_INVALID` when it is long all the same. */
  upTo(end: number): string {
    const bytes = this.#text.length + end - this.#from;
    if (bytes > MAX_HEAD_BYTES)
      throw otlpInvalid(
        `what stands around its records before byte ${end} has ${bytes} bytes, more than ${MAX_HEAD_BYTES}`,
      );
    return this.#text + this.#bytes.toString('utf8', this.#from, end);
  }
}
