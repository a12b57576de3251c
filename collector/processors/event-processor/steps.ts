import { beginTimeSlice } from '../../../core/time-slice.js';

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

/** Does small work where it stands; what pauses at all is large, and is done in turns. Throws or rejects with what the work throws. */
export function atOnceOrInTurns<Result>(steps: Steps<Result>): Result | Promise<Result> {
  const first = steps.next();
  return first.done === true ? first.value : doInTurns(steps);
}
