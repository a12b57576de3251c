import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * How long all long-running work together may block one turn of the event loop. Every step of a commit waits for a turn, and events that
 * wait longer cost the garbage collector more.
 */
const SLICE_MS = 2;

/** Lets long work yield to the event loop. */
export interface TimeSlice {
  /** Whether this turn is used up; then await `next`. */
  readonly isOver: boolean;
  /** Resolves in the next turn of the event loop. */
  next(): Promise<void>;
}

let turnBeganMs: number | undefined;

/** Start of the first slice in this turn of the event loop; later slices of the same turn share its time. */
function startOfTurn(): number {
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
    const beganMs = startOfTurn();
    return performance.now() >= beganMs + SLICE_MS;
  },
  next: () => nextTurn(),
};

/** Starts a slice now. */
export function beginTimeSlice(): TimeSlice {
  startOfTurn();
  return SLICE;
}

/** Numbers between two checks of the clock. */
const PER_CHECK = 256;

/** Calls `visit` for 0 to `length` - 1, in time slices. The inner loop has no await, because V8 optimizes that much better. */
export async function inTimeSlices(length: number, visit: (index: number) => void): Promise<void> {
  const slice = beginTimeSlice();
  for (let first = 0; first < length; first += PER_CHECK) {
    if (slice.isOver) await slice.next();
    const end = Math.min(first + PER_CHECK, length);
    for (let index = first; index < end; index += 1) visit(index);
  }
}

/** Runs all steps in this turn: for short work, and for commands without other work. */
export function finishNow<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
