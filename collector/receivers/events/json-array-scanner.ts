import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  isJsonSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../../../core/event/json-bytes.js';
import { malformedJson } from './body-faults.js';

/** Byte range of one element, with the white space around it. */
export interface ElementSpan {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Finds the elements of a JSON array without parsing them, so that an invalid one rejects one event; push bytes from the opening bracket on. */
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

  /** `offset` is the position of the opening bracket. */
  constructor(offset: number, onElement: (span: ElementSpan) => void) {
    this.#offset = offset;
    this.#onElement = onElement;
  }

  /** Throws `MALFORMED_JSON` if the bytes cannot be an array, and what `onElement` throws. */
  push(chunk: Buffer): void {
    let index = 0;
    while (index < chunk.length) {
      if (this.#isInString) index = this.#skipString(chunk, index);
      else {
        const byte = chunk[index];
        if (!isJsonSpace(byte)) this.#scanByte(byte, this.#offset + index);
        index++;
      }
    }
    this.#offset += chunk.length;
  }

  /** Throws `MALFORMED_JSON` if the array did not end. */
  end(): void {
    if (!this.#isClosed) throw malformedJson(`it ends inside the array, at byte ${this.#offset}`, this.#offset);
  }

  /** Returns the index of the first byte after the current string, or the chunk's end. */
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

  #scanByte(byte: number | undefined, at: number): void {
    if (this.#isClosed) throw malformedJson(`unexpected content after the array at byte ${at}`, at);
    if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) this.#closeNesting(byte, at);
    else if (byte === COMMA && this.#depth === 1) this.#endElement(at);
    else this.#scanContent(byte, at);
  }

  #scanContent(byte: number | undefined, at: number): void {
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
