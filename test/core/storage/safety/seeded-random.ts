/** Numbers that are the same for the same seed. */
export interface SeededRandom {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  integer(least: number, most: number): number;
  /** True in so many of a hundred cases. */
  percent(share: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
}

/** The generator mulberry32: 32 bits of state, good enough to choose what a test does. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    integer,
    percent: (share) => next() * 100 < share,
    pick: ([first, ...others]) => others[integer(0, others.length) - 1] ?? first,
  };
}
