import { setImmediate } from 'node:timers/promises';

/** How long one piece of a long scan may keep everything else waiting. */
const SLICE_MS = 5;

/** A long scan that lets the event loop turn in between. */
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
