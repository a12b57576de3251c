/** When running requests are cut off: one moment for the whole shutdown, so that doors closed one after another share one budget. */
export interface DrainClock {
  /** Starts the budget, once; later calls change nothing. */
  begin(): void;
  /** Milliseconds left, at least 0; starts the budget when nobody did. */
  remainingMs(): number;
}

/** Builds a clock for a budget in milliseconds. */
export function createDrainClock(budgetMs: number): DrainClock {
  let endsAtMs: number | undefined;
  const begin = () => {
    endsAtMs ??= performance.now() + budgetMs;
  };
  return {
    begin,
    remainingMs() {
      begin();
      return Math.max(0, (endsAtMs ?? 0) - performance.now());
    },
  };
}
