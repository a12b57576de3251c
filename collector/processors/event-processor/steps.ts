import { beginTimeSlice } from '../../../core/time-slice.js';

/** Work that can pause at each `yield`, with a result. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Runs steps in time slices, so that other work can run. Rejects with what they throw. */
export async function runInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  const slice = beginTimeSlice();
  for (;;) {
    if (slice.isOver) await slice.next();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs work that never pauses synchronously, other work in time slices. Throws or rejects with what it throws. */
export function runNowOrInSlices<Result>(steps: Steps<Result>): Result | Promise<Result> {
  const first = steps.next();
  return first.done === true ? first.value : runInSlices(steps);
}
