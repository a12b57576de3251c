import type { Steps } from '../../processors/event-processor/steps.js';

/** Bytes that are copied without a pause. */
const COPIED_AT_ONCE = 1024 * 1024;

/** A body while it is written, in the order of its bytes. */
export class BodyParts {
  #parts: Uint8Array[] = [];
  #bytes = 0;

  /** How many bytes it has. */
  get bytes(): number {
    return this.#bytes;
  }

  add(part: Uint8Array): void {
    this.#parts.push(part);
    this.#bytes += part.length;
  }

  /** Adds another one behind it, which is not to be used any more. */
  addAll(other: BodyParts): void {
    for (const part of other.#parts) this.#parts.push(part);
    this.#bytes += other.#bytes;
  }

  /** All of it in one piece. */
  *whole(): Steps<Uint8Array> {
    const whole = Buffer.allocUnsafe(this.#bytes);
    let at = 0;
    let pauseAt = COPIED_AT_ONCE;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
      if (at < pauseAt) continue;
      pauseAt = at + COPIED_AT_ONCE;
      yield;
    }
    return whole;
  }
}
