import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-bytes.js';

const SPACE = 0x20;

/** Counts the members of objects and elements of arrays at all depths of a JSON text, and its levels, without parsing it. */
export class MemberCounter {
  members = 0;
  /** The most objects and arrays that were open at once. */
  levels = 0;
  #depth = 0;
  #isInString = false;
  /** True while only white space followed an opening bracket. */
  #isEmpty = false;

  /** Counts from `at` to `stop`, or one byte further if an escape crosses it; returns the position of the next byte. */
  advance(bytes: Buffer, at: number, stop: number): number {
    // Local variables: this loop sees every byte of large bodies.
    let isInString = this.#isInString;
    let isEmpty = this.#isEmpty;
    let members = this.members;
    let index = at;
    for (; index < stop; index++) {
      const byte = bytes[index];
      if (isInString) {
        if (byte === BACKSLASH) index++;
        else if (byte === QUOTE) isInString = false;
        continue;
      }
      if (isEmpty && byte !== undefined && byte > SPACE) {
        isEmpty = false;
        if (byte !== CLOSE_BRACKET && byte !== CLOSE_BRACE) members++;
      }
      if (byte === QUOTE) isInString = true;
      else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
        isEmpty = true;
        this.#depth++;
        if (this.#depth > this.levels) this.levels = this.#depth;
      } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) this.#depth--;
      else if (byte === COMMA) members++;
    }
    this.#isInString = isInString;
    this.#isEmpty = isEmpty;
    this.members = members;
    return index;
  }
}

/** Whether a JSON text has more than `maxMembers` members. Each needs two bytes, so small texts are not scanned. */
export function hasTooManyMembers(json: Buffer, maxMembers: number): boolean {
  if (json.length <= 2 * maxMembers) return false;
  const counter = new MemberCounter();
  counter.advance(json, 0, json.length);
  return counter.members > maxMembers;
}
