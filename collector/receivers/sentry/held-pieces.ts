import type { HeldBytes } from '../ingest-memory.js';

/** The pieces of one thing that arrives in parts, counted while the request keeps them. */
export class HeldPieces {
  readonly #held: HeldBytes;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(held: HeldBytes) {
    this.#held = held;
  }

  /** Bytes of the pieces so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Throws `RECEIVER_BUSY`, and then has not added it. */
  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#held.take(piece.length);
    this.#pieces.push(piece);
    this.#bytes += piece.length;
  }

  /** A copy of the pieces as one, still counted; the next piece begins another thing. A copy, because a piece keeps the whole chunk that it came with. */
  take(): Buffer {
    const joined = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    return joined;
  }

  /** A copy of the pieces as one, which stay. */
  copy(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  /** Lets go of the pieces, not of what was taken. */
  drop(): void {
    this.#held.give(this.#bytes);
    this.#pieces = [];
    this.#bytes = 0;
  }
}
