import { setImmediate } from 'node:timers/promises';

/** How long one piece of work may keep all other requests waiting. */
const SLICE_MS = 5;

/** Work that is done in slices, so that the event loop turns in between. */
export interface TimeSlice {
  /** Whether the slice is used up and `next` should be awaited. */
  readonly isOver: boolean;
  /** Lets the event loop turn, then begins a new slice. */
  next(): Promise<void>;
}

/** Begins a slice now. */
export function beginTimeSlice(): TimeSlice {
  let endsAtMs = performance.now() + SLICE_MS;
  return {
    get isOver() {
      return performance.now() >= endsAtMs;
    },
    async next() {
      await setImmediate();
      endsAtMs = performance.now() + SLICE_MS;
    },
  };
}
