/** Enough for two searches at once. */
const MAX_SPARE = 4;

/** Reuses large read buffers: allocating per block triggers full GCs over the whole index. */
export class BufferPool {
  readonly #spare: WeakRef<Buffer>[] = [];

  /** Returns a buffer of at least `bytes`, with undefined content; release it or drop it. */
  acquire(bytes: number): Buffer {
    while (this.#spare.length > 0) {
      const spare = this.#spare.pop()?.deref();
      if (spare !== undefined && spare.length >= bytes) return spare;
    }
    return Buffer.allocUnsafeSlow(bytes);
  }

  /** The caller must not use the buffer afterwards. */
  release(piece: Buffer): void {
    if (piece.length > 0 && this.#spare.length < MAX_SPARE) this.#spare.push(new WeakRef(piece));
  }
}
