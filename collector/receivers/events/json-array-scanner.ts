import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  isJsonSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../intake/json-bytes.js';
import { malformedJson } from './body-faults.js';

/** Where one element of the array lies, with the white space around it. */
export interface ElementSpan {
  readonly start: number;
  /** First byte after it. */
  readonly end: number;
}

/**
 * Finds the elements of a JSON array without parsing them, so that one bad element is one bad event, and no large body is parsed in one go.
 * Bytes are pushed as they arrive, from the opening bracket on. It looks at strings, escapes and nesting only: each byte once.
 */
export class JsonArrayScanner {
  readonly #onElement: (span: ElementSpan) => void;
  #offset: number;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isClosed = false;
  #elementStart = 0;
  #isElementBlank = true;
  #elements = 0;

  /** Offsets count from `offset`, where the bracket stands. */
  constructor(offset: number, onElement: (span: ElementSpan) => void) {
    this.#offset = offset;
    this.#onElement = onElement;
  }

  /** Throws `MALFORMED_JSON` where the bytes cannot be an array, and what `onElement` throws. */
  push(chunk: Buffer): void {
    let index = 0;
    while (index < chunk.length) {
      if (this.#isInString) index = this.#skipString(chunk, index);
      else {
        const byte = chunk[index];
        if (!isJsonSpace(byte)) this.#take(byte, this.#offset + index);
        index++;
      }
    }
    this.#offset += chunk.length;
  }

  /** Throws `MALFORMED_JSON` when the array did not end. */
  end(): void {
    if (!this.#isClosed) throw malformedJson(`it ends inside the array, at byte ${this.#offset}`, this.#offset);
  }

  /** Index of the first byte after the string that the scanner is in, or the chunk's end. */
  #skipString(chunk: Buffer, start: number): number {
    for (let index = start; index < chunk.length; index++) {
      const byte = chunk[index];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) {
        this.#isInString = false;
        return index + 1;
      }
    }
    return chunk.length;
  }

  #take(byte: number | undefined, at: number): void {
    if (this.#isClosed) throw malformedJson(`something follows the array at byte ${at}`, at);
    if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) this.#closeNesting(byte, at);
    else if (byte === COMMA && this.#depth === 1) this.#endElement(at);
    else this.#takeContent(byte, at);
  }

  #takeContent(byte: number | undefined, at: number): void {
    if (this.#depth === 0) this.#elementStart = at + 1;
    else this.#isElementBlank = false;
    if (byte === QUOTE) this.#isInString = true;
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) this.#depth++;
  }

  #closeNesting(byte: number, at: number): void {
    this.#depth--;
    if (this.#depth > 0) return;
    if (byte === CLOSE_BRACE) throw malformedJson(`unexpected } at byte ${at}`, at);
    const isEmptyArray = this.#elements === 0 && this.#isElementBlank;
    if (!isEmptyArray) this.#endElement(at);
    this.#isClosed = true;
  }

  #endElement(at: number): void {
    if (this.#isElementBlank) throw malformedJson(`an element is missing at byte ${at}`, at);
    this.#onElement({ start: this.#elementStart, end: at });
    this.#elements++;
    this.#elementStart = at + 1;
    this.#isElementBlank = true;
  }
}
