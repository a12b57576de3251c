/** Enough for two searches at once. */
const MAX_SPARE = 4;

/**
 * Large pieces of memory that are read into again and again, from search to search: new memory for each one made the garbage collector walk through all
 * issues every few blocks. What nobody uses may be collected.
 */
export class ReadBufferPool {
  readonly #spare: WeakRef<Buffer>[] = [];

  /** A piece of at least so many bytes, with anything in it; its user gives it back or forgets it. */
  acquire(bytes: number): Buffer {
    while (this.#spare.length > 0) {
      const spare = this.#spare.pop()?.deref();
      if (spare !== undefined && spare.length >= bytes) return spare;
    }
    return Buffer.allocUnsafeSlow(bytes);
  }

  /** Nothing may be read from it or into it any more. */
  release(piece: Buffer): void {
    if (piece.length > 0 && this.#spare.length < MAX_SPARE) this.#spare.push(new WeakRef(piece));
  }
}
