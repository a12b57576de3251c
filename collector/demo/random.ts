/** Chances that come out the same for the same seed, so that a demo can be repeated. */
export interface Random {
  /** A number from 0 (included) to 1 (excluded). */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** One of the items, all equally likely; the list must not be empty. */
  pick<T>(items: readonly [T, ...T[]]): T;
  /** Lower-case hexadecimal digits. */
  hex(digits: number): string;
}

/** A small linear generator (the constants of Numerical Recipes); good enough for traffic, for nothing else. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // The low bits of such a generator repeat early: only the upper 24 are used.
    return (state >>> 8) / 0x1000000;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
    hex: (digits) => Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join(''),
  };
}
