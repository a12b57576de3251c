/** Random numbers that repeat for a seed. */
export interface SeededRandom {
  /** From 0 to below 1. */
  next(): number;
  /** An integer from `least` to `most`, inclusive. */
  integer(least: number, most: number): number;
  /** True with a probability in percent. */
  percent(share: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
}

/** Creates the generator mulberry32. */
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
