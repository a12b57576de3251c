import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-bytes.js';

const SPACE = 0x20;

/** Counts the members of objects and elements of arrays at all depths of a JSON text, and its levels, without parsing it: parsing creates each of them. */
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
    let next = at;
    while (next < stop) {
      if (this.#isInString) next = this.#skipString(bytes, next, stop);
      else this.#countByte(bytes[next++]);
    }
    return next;
  }

  #skipString(bytes: Buffer, at: number, stop: number): number {
    let next = at;
    while (next < stop) {
      const byte = bytes[next++];
      if (byte === BACKSLASH) next++;
      else if (byte === QUOTE) {
        this.#isInString = false;
        break;
      }
    }
    return next;
  }

  /** A member per comma, and one more in each object and array that is not empty. */
  #countByte(byte = SPACE): void {
    if (byte <= SPACE) return;
    if (this.#isEmpty && byte !== CLOSE_BRACKET && byte !== CLOSE_BRACE) this.members++;
    this.#isEmpty = false;
    switch (byte) {
      case QUOTE:
        this.#isInString = true;
        break;
      case COMMA:
        this.members++;
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        this.#isEmpty = true;
        this.#depth++;
        this.levels = Math.max(this.levels, this.#depth);
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        this.#depth--;
        break;
    }
  }
}

/** Whether a JSON text has more than `maxMembers` members. Each needs two bytes, so small texts are not scanned. */
export function hasTooManyMembers(json: Buffer, maxMembers: number): boolean {
  if (json.length <= 2 * maxMembers) return false;
  const counter = new MemberCounter();
  counter.advance(json, 0, json.length);
  return counter.members > maxMembers;
}
