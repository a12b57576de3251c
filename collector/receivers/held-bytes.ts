import { Fault } from '../../core/event/fault.js';

/** Bytes that all requests of one receiver keep at a time, beyond the piece that is being read. */
export interface HeldBytes {
  /** Counts bytes in; throws `RECEIVER_BUSY` (retryable), counting nothing, when that would be too many. */
  take(bytes: number): void;
  give(bytes: number): void;
}

/** Builds the count for a bound in bytes. */
export function createHeldBytes(maxBytes: number): HeldBytes {
  let held = 0;
  return {
    take(bytes) {
      if (held + bytes > maxBytes) {
        const sentence = 'too many large bodies arrive at once; send the request again';
        throw new Fault('RECEIVER_BUSY', sentence, { retryable: true });
      }
      held += bytes;
    },
    give(bytes) {
      held -= bytes;
    },
  };
}
