import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  isJsonSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  trimJsonSpace,
} from './json-bytes.js';

const SPACE = 0x20;

/** Finds where one JSON value ends, in as many pieces as one likes, and counts what is in it. It looks at strings, escapes, commas and nesting only. */
export class JsonValuePass {
  #depth = 0;
  #isInString = false;
  /** True while nothing but white space followed an opening bracket. */
  #isEmpty = false;
  /** Members of objects and elements of arrays that began so far, at all depths. */
  members = 0;
  /** True when the value's end was found. */
  isDone = false;

  /** Goes on from `at` to the value's end, or to `stop`, or one byte beyond where an escape reaches over it; gives the position of the next byte. */
  advance(bytes: Buffer, at: number, stop: number): number {
    // Local variables: this loop sees every byte of large bodies.
    let depth = this.#depth;
    let isInString = this.#isInString;
    let isDone = this.isDone;
    let isEmpty = this.#isEmpty;
    let members = this.members;
    let index = at;
    while (index < stop && !isDone) {
      const byte = bytes[index];
      if (isInString) {
        if (byte === BACKSLASH) index++;
        else if (byte === QUOTE) {
          isInString = false;
          isDone = depth === 0;
        }
        index++;
        continue;
      }
      if (isEmpty && byte !== undefined && byte > SPACE) {
        isEmpty = false;
        if (byte !== CLOSE_BRACKET && byte !== CLOSE_BRACE) members++;
      }
      if (byte === QUOTE) isInString = true;
      else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
        depth++;
        isEmpty = true;
      } else if (depth === 0) {
        isDone = isAfterScalar(byte);
        if (isDone) break;
      } else if (byte === COMMA) members++;
      else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
        depth--;
        isDone = depth === 0;
      }
      index++;
    }
    this.#isEmpty = isEmpty;
    this.members = members;
    this.#depth = depth;
    this.#isInString = isInString;
    this.isDone = isDone;
    return index;
  }
}

/** Whether JSON has more members of objects and elements of arrays than `maxMembers`: each needs two bytes, so small texts are not looked at. */
export function hasTooManyMembers(json: Buffer, maxMembers: number): boolean {
  if (json.length <= 2 * maxMembers) return false;
  const bytes = trimJsonSpace(json);
  const pass = new JsonValuePass();
  pass.advance(bytes, 0, bytes.length);
  return pass.members > maxMembers;
}

/** Outside of all brackets a number or word ends before these. */
function isAfterScalar(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE || isJsonSpace(byte);
}
