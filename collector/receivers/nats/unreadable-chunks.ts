/** How often a source sends the same events, in unreadable chunks, before the gateway goes on without them. */
export const MAX_UNREADABLE_PASSES = 3;

/** Counts how often the chunk behind the last stored event of one source and partition was unreadable. */
export class UnreadableChunks {
  /** The stored position, which tells whether something was stored since. */
  #stored = '';
  /** The pass of the source over its record that was counted last. */
  #epoch = -1;
  #passes = 0;

  /** Counts an unreadable chunk; returns whether its events are lost. Of one pass only the first chunk counts: those behind it are sent again with it. */
  isLost(stored: string, epoch: number): boolean {
    if (stored !== this.#stored) {
      this.#stored = stored;
      this.#epoch = -1;
      this.#passes = 0;
    }
    if (epoch === this.#epoch) return false;
    this.#epoch = epoch;
    this.#passes += 1;
    return this.#passes >= MAX_UNREADABLE_PASSES;
  }
}
