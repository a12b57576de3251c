import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  isJsonSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../json-bytes.js';

/** Finds where one JSON value ends, in as many pieces as one likes. It looks at strings, escapes and nesting only. */
export class JsonValuePass {
  #depth = 0;
  #isInString = false;
  /** True when the value's end was found. */
  isDone = false;

  /** True where the value may end because the bytes do: numbers and words have no mark at their end. */
  get mayEndHere(): boolean {
    return this.#depth === 0 && !this.#isInString;
  }

  /** Goes on from `at` to the value's end, or to `stop`, or one byte beyond where an escape reaches over it; gives the position of the next byte. */
  advance(bytes: Buffer, at: number, stop: number): number {
    // Local variables: this loop sees every byte of large bodies.
    let depth = this.#depth;
    let isInString = this.#isInString;
    let isDone = this.isDone;
    let index = at;
    while (index < stop && !isDone) {
      const byte = bytes[index];
      if (isInString) {
        if (byte === BACKSLASH) index++;
        else if (byte === QUOTE) {
          isInString = false;
          isDone = depth === 0;
        }
      } else if (byte === QUOTE) isInString = true;
      else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) depth++;
      else if (depth === 0) {
        isDone = isAfterScalar(byte);
        if (isDone) break;
      } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
        depth--;
        isDone = depth === 0;
      }
      index++;
    }
    this.#depth = depth;
    this.#isInString = isInString;
    this.isDone = isDone;
    return index;
  }
}

/** Outside of all brackets a number or word ends before these. */
function isAfterScalar(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE || isJsonSpace(byte);
}
