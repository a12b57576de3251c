/** Random numbers that are the same for the same seed. */
export type Random = ReturnType<typeof createRandom>;

/** Creates a linear congruential generator with the constants of Numerical Recipes, for demo traffic only. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  /** From 0 (included) to 1 (excluded). */
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // The low bits have a short period: only the upper 24 are used.
    return (state >>> 8) / 0x1000000;
  };
  return {
    next,
    /** An integer from `low` to `high`, both included. */
    between: (low: number, high: number): number => low + Math.floor(next() * (high - low + 1)),
    pick: <T>(items: readonly [T, ...T[]]): T => items[Math.floor(next() * items.length)] ?? items[0],
    hex: (digits: number): string =>
      Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join(''),
  };
}
