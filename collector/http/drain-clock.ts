/** When running requests are refused or cut off: one budget for the whole shutdown, which doors that close one after another share. */
export interface DrainClock {
  /** Starts the budget, once; later calls change nothing. */
  begin(): void;
  readonly isBegun: boolean;
  /** Calls back when the budget starts, at once where it has; what is answered calls that off. */
  onBegin(listener: () => void): () => void;
  /** Milliseconds, at least 0, until bodies that still arrive are refused: the first half of the budget. Starts it when nobody did. */
  remainingForBodiesMs(): number;
  /** Milliseconds, at least 0, until what still runs is cut off. Starts the budget when nobody did. */
  remainingMs(): number;
}

/** The rest is for the answers: a sender who is still writing needs a second to see his. */
const SHARE_OF_BODIES = 0.5;

/** Builds a clock for a budget in milliseconds. */
export function createDrainClock(budgetMs: number): DrainClock {
  const listeners = new Set<() => void>();
  let beganAtMs: number | undefined;
  const begin = (): number => {
    if (beganAtMs !== undefined) return beganAtMs;
    beganAtMs = performance.now();
    for (const listener of listeners) listener();
    listeners.clear();
    return beganAtMs;
  };
  const remainingOf = (spanMs: number): number => Math.max(0, begin() + spanMs - performance.now());
  return {
    begin: () => void begin(),
    get isBegun() {
      return beganAtMs !== undefined;
    },
    onBegin(listener) {
      if (beganAtMs === undefined) listeners.add(listener);
      else listener();
      return () => listeners.delete(listener);
    },
    remainingForBodiesMs: () => remainingOf(budgetMs * SHARE_OF_BODIES),
    remainingMs: () => remainingOf(budgetMs),
  };
}
