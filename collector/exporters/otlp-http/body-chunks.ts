import type { Steps } from '../../processors/event-processor/steps.js';

/** Bytes copied without a pause. */
const COPIED_AT_ONCE = 1024 * 1024;

/** Chunks of a body being written. */
export class BodyChunks {
  #chunks: Uint8Array[] = [];
  bytes = 0;

  append(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.bytes += chunk.length;
  }

  /** Appends all chunks of `other`, which must not be used afterwards. */
  appendAll(other: BodyChunks): void {
    for (const chunk of other.#chunks) this.#chunks.push(chunk);
    this.bytes += other.bytes;
  }

  /** Concatenates the chunks, with pauses. */
  *concat(): Steps<Uint8Array> {
    const whole = Buffer.allocUnsafe(this.bytes);
    let at = 0;
    let pauseAt = COPIED_AT_ONCE;
    for (const chunk of this.#chunks) {
      whole.set(chunk, at);
      at += chunk.length;
      if (at < pauseAt) continue;
      pauseAt = at + COPIED_AT_ONCE;
      yield;
    }
    return whole;
  }
}
