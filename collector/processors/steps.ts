import { beginTimeSlice } from '../../core/time-slice.js';

/** Work that says where it may pause, and what comes of it. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does it in slices, so that other work gets its turn. Rejects with what the work throws. */
export async function doInTurns<Result>(steps: Steps<Result>): Promise<Result> {
  const slice = beginTimeSlice();
  for (;;) {
    if (slice.isOver) await slice.next();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
