import type { HeldBytes } from './ingest-memory.js';

/** A body, or a part of one, that arrives in pieces, which count as held by their request. */
export class HeldBody {
  readonly #held: HeldBytes;
  #pieces: Buffer[] = [];
  /** Offset of the first piece that is still here. */
  #offset = 0;
  #bytes = 0;

  constructor(held: HeldBytes) {
    this.#held = held;
  }

  /** Bytes that were added so far, also of pieces that were let go. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Throws `RECEIVER_BUSY` or `BODY_TOO_LARGE`, and then has not added it. */
  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#held.take(piece.length);
    this.#pieces.push(piece);
    this.#bytes += piece.length;
  }

  /**
   * The bytes from `start` up to `end`, without a copy where one piece has them, and lets go of the pieces before those; a later call may not go back. All
   * stay counted: the events in them wait for the disk.
   */
  slice(start: number, end: number): Buffer {
    this.#dropBefore(start);
    const [first] = this.#pieces;
    if (first !== undefined && end - this.#offset <= first.length) {
      return first.subarray(start - this.#offset, end - this.#offset);
    }
    const parts: Buffer[] = [];
    let offset = this.#offset;
    for (const piece of this.#pieces) {
      if (offset >= end) break;
      parts.push(piece.subarray(Math.max(0, start - offset), end - offset));
      offset += piece.length;
    }
    return Buffer.concat(parts);
  }

  /** A copy of the pieces as one, with what follows them; they stay. */
  copy(...following: readonly Buffer[]): Buffer {
    return Buffer.concat([...this.#pieces, ...following]);
  }

  /** A copy of the pieces as one, still counted; the next piece begins another thing. A copy, because a piece keeps the whole chunk that it came with. */
  take(): Buffer {
    const joined = this.copy();
    this.#begin();
    return joined;
  }

  /** Lets go of the pieces, not of what was taken; the next piece begins another thing. Safe to call twice. */
  drop(): void {
    this.#held.give(this.#bytes);
    this.#begin();
  }

  #begin(): void {
    this.#pieces = [];
    this.#offset = 0;
    this.#bytes = 0;
  }

  #dropBefore(start: number): void {
    let dropped = 0;
    for (const piece of this.#pieces) {
      if (this.#offset + piece.length > start) break;
      this.#offset += piece.length;
      dropped++;
    }
    if (dropped > 0) this.#pieces.splice(0, dropped);
  }
}
