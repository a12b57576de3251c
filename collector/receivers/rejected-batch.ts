import { MAX_KEPT_BYTES } from '../../core/storage/rejected/kept-content.js';
import type { RejectedPayload } from '../../core/storage/rejected/rejected-payload.js';
import { MAX_BATCH_EVENTS } from '../pipeline.js';

/** Smaller than a batch of events: their records are encoded in one turn of the event loop. */
const MAX_BATCH_BYTES = 256 * 1024;

/** The rejected payloads of one request until they are handed on. */
export class RejectedBatch {
  #rejected: RejectedPayload[] = [];
  #bytes = 0;

  /** True when they should be handed on. */
  get isFull(): boolean {
    return this.#rejected.length >= MAX_BATCH_EVENTS || this.#bytes >= MAX_BATCH_BYTES;
  }

  add(rejected: RejectedPayload): void {
    this.#rejected.push(rejected);
    this.#bytes += Math.min(rejected.received?.length ?? 0, MAX_KEPT_BYTES);
  }

  /** What was added so far; the next batch is empty. */
  take(): readonly RejectedPayload[] {
    const rejected = this.#rejected;
    this.#rejected = [];
    this.#bytes = 0;
    return rejected;
  }
}
