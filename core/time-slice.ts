import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long pieces of work may keep everything else waiting, all of those together that have a turn at the same time. */
const SLICE_MS = 5;

/** Long work that lets the event loop turn in between. */
export interface TimeSlice {
  /** Whether this turn is used up and `next` should be awaited. */
  readonly isOver: boolean;
  /** Lets the event loop turn. */
  next(): Promise<void>;
}

let turnBeganMs: number | undefined;

/** When the first piece of this turn of the event loop began: what follows it in the same turn shares its time. */
function beginningOfTurn(): number {
  if (turnBeganMs === undefined) {
    turnBeganMs = performance.now();
    setImmediate(() => {
      turnBeganMs = undefined;
    });
  }
  return turnBeganMs;
}

const SLICE: TimeSlice = {
  get isOver() {
    const began = beginningOfTurn();
    return performance.now() >= began + SLICE_MS;
  },
  next: () => nextTurn(),
};

/** Begins a slice now. */
export function beginTimeSlice(): TimeSlice {
  beginningOfTurn();
  return SLICE;
}
