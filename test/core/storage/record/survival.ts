/** A number from 0 to below 1, another one at each call. */
export type Luck = () => number;

/** What a power failure leaves of the changes that were not synced; times count the changes of a disk. */
export interface Survival {
  /** Which of some states, named by their times in ascending order, is found; -1 for the one that was synced. */
  choose(times: readonly number[]): number;
  /** Whether one change of a folder's names is found. */
  keeps(time: number): boolean;
  /** Some place from `least` to `most`, both included. */
  between(least: number, most: number): number;
}

/** Shares of failures that leave the past whole up to a moment, as a disk without a cache would, and that decide for each change alone. */
const CUT_IN_TIME = 0.25;

/** Decides by luck for one failure, `now` being the time of the last change. */
export function createSurvival(luck: Luck, now: number): Survival {
  const between = (least: number, most: number): number =>
    least + Math.min(most - least, Math.floor(luck() * (most - least + 1)));
  if (luck() < CUT_IN_TIME) {
    const end = between(0, now);
    return { choose: (times) => times.findLastIndex((time) => time <= end), keeps: (time) => time <= end, between };
  }
  // From failures that leave almost nothing to those that leave almost all.
  const share = luck();
  return {
    choose: (times) => (luck() < share ? times.length - 1 : between(-1, times.length - 1)),
    keeps: () => luck() < share,
    between,
  };
}
