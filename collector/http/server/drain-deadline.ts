/** When running requests are refused or cut off: one budget for a whole shutdown or reload, which mounts that close one after another share. */
export interface DrainDeadline {
  /** Starts the budget anew. */
  begin(): void;
  /** Milliseconds, at least 0, until bodies that still arrive are refused: the first half of the budget. Starts it where that was never done. */
  remainingForBodiesMs(): number;
  /** Milliseconds, at least 0, until what still runs is cut off. Starts the budget where that was never done. */
  remainingMs(): number;
}

/** The rest is for the answers: a sender who is still writing needs a second to see his. */
const SHARE_OF_BODIES = 0.5;

/** Builds a clock for a budget in milliseconds. */
export function createDrainClock(budgetMs: number): DrainDeadline {
  let beganAtMs: number | undefined;
  const remainingOf = (spanMs: number): number => {
    beganAtMs ??= performance.now();
    return Math.max(0, beganAtMs + spanMs - performance.now());
  };
  return {
    begin() {
      beganAtMs = performance.now();
    },
    remainingForBodiesMs: () => remainingOf(budgetMs * SHARE_OF_BODIES),
    remainingMs: () => remainingOf(budgetMs),
  };
}
