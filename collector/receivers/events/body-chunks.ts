import type { HeldBytes } from '../ingest-memory.js';

/**
 * A body as it arrived, taken out again from front to back without joining it into one buffer. What was taken out stays counted as held: its events
 * wait for the disk.
 */
export class BodyChunks {
  readonly #held: HeldBytes;
  readonly #chunks: Buffer[] = [];
  /** Offset in the body of the first chunk that is still here. */
  #offset = 0;
  #bytes = 0;

  constructor(held: HeldBytes) {
    this.#held = held;
  }

  /** Bytes of the whole body so far. */
  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Buffer): void {
    this.#held.take(chunk.length);
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** The bytes from `start` up to `end`, and lets go of those before; a later call may not go back. */
  take(start: number, end: number): Buffer {
    this.#dropBefore(start);
    const [first] = this.#chunks;
    if (first !== undefined && end - this.#offset <= first.length) {
      return first.subarray(start - this.#offset, end - this.#offset);
    }
    const parts: Buffer[] = [];
    let offset = this.#offset;
    for (const chunk of this.#chunks) {
      if (offset >= end) break;
      parts.push(chunk.subarray(Math.max(0, start - offset), end - offset));
      offset += chunk.length;
    }
    return Buffer.concat(parts);
  }

  #dropBefore(start: number): void {
    let dropped = 0;
    for (const chunk of this.#chunks) {
      if (this.#offset + chunk.length > start) break;
      this.#offset += chunk.length;
      dropped++;
    }
    if (dropped > 0) this.#chunks.splice(0, dropped);
  }
}
