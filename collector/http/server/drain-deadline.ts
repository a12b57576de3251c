/** The time budget of a whole shutdown or reload, shared by components that stop one after another. */
export interface DrainDeadline {
  /** Restarts the budget. */
  begin(): void;
  /** Milliseconds, at least 0, until incomplete bodies are refused: half of the budget. Starts the budget on the first call. */
  remainingForBodiesMs(): number;
  /** Milliseconds, at least 0, until requests still in flight are cut off. Starts the budget on the first call. */
  remainingMs(): number;
}

/** The rest is for responses: a sender that is still writing needs a second to read one. */
const SHARE_OF_BODIES = 0.5;

/** Creates a deadline for a budget in milliseconds. */
export function createDrainDeadline(budgetMs: number): DrainDeadline {
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
