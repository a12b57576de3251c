/** Returns a new number from 0 to below 1. */
export type Luck = () => number;

/** Decides which unsynced changes survive a power failure; times count the changes of a disk. */
export interface Survival {
  /** Index of the surviving state, of ascending times; -1 for the synced one. */
  choose(times: readonly number[]): number;
  /** Whether one change of a folder's names survives. */
  keeps(time: number): boolean;
  /** A number from `least` to `most`, inclusive. */
  between(least: number, most: number): number;
}

/** Probabilities that all changes up to a time survive, as on a disk without a cache, or that each change is decided alone. */
const CUT_IN_TIME = 0.25;

/** Decides at random for one failure; `now` is the time of the last change. */
export function createSurvival(luck: Luck, now: number): Survival {
  const between = (least: number, most: number): number =>
    least + Math.min(most - least, Math.floor(luck() * (most - least + 1)));
  if (luck() < CUT_IN_TIME) {
    const end = between(0, now);
    return { choose: (times) => times.findLastIndex((time) => time <= end), keeps: (time) => time <= end, between };
  }
  // The probability that a change survives ranges from almost 0 to almost 1.
  const share = luck();
  return {
    choose: (times) => (luck() < share ? times.length - 1 : between(-1, times.length - 1)),
    keeps: () => luck() < share,
    between,
  };
}
