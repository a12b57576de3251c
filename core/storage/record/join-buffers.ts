import { COMMIT_SLICE_BYTES } from './commit-record.js';

/** Buffers that are kept between commits. */
const MAX_KEPT = 4;

/**
 * Memory in which the lines of a slice are joined for one write. It is used again: fresh buffers of a megabyte for each commit would lie about
 * until the next collection of garbage, more than a hundred megabytes of them under load.
 */
export class JoinBuffers {
  readonly #kept: Buffer[] = [];

  /** Hands `use` a buffer of that many bytes, filled with anything; when its promise settles, the buffer is somebody else's. */
  async with<Result>(bytes: number, use: (buffer: Buffer) => Promise<Result>): Promise<Result> {
    // A line that is longer than a slice is alone in it, and rare.
    if (bytes > COMMIT_SLICE_BYTES) return await use(Buffer.allocUnsafe(bytes));
    const buffer = this.#kept.pop() ?? Buffer.allocUnsafe(COMMIT_SLICE_BYTES);
    try {
      return await use(buffer.subarray(0, bytes));
    } finally {
      if (this.#kept.length < MAX_KEPT) this.#kept.push(buffer);
    }
  }
}
