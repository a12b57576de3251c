import { hourOfMicros, MICROS_PER_HOUR } from './arrival-time.js';

/**
 * The store's one clock: whole microseconds since the epoch, strictly increasing over the life of the folder (room invariant 1).
 * Commits and actions draw from the same one.
 */
export interface ArrivalClock {
  /** The greatest instant given out or known. */
  readonly lastMicros: number;
  /** Now, or the last instant plus one where the wall clock stands still or went back. */
  next(): number;
  /** The first of `count` instants that follow each other and lie in one hour. */
  nextRun(count: number): number;
  /** Makes every later instant greater than this one. */
  holdAbove(micros: number): void;
}

/** Clock over a wall clock in milliseconds (default `Date.now`), above the greatest instant of the folder (default 0: the folder is new). */
export function createArrivalClock(options: { nowMs?: () => number; lastMicros?: number } = {}): ArrivalClock {
  const nowMs = options.nowMs ?? Date.now;
  let last = options.lastMicros ?? 0;
  const nextRun = (count: number): number => {
    let first = Math.max(Math.floor(nowMs() * 1000), last + 1);
    const nextHour = (hourOfMicros(first) + 1) * MICROS_PER_HOUR;
    if (first + count > nextHour) first = nextHour;
    last = first + count - 1;
    return first;
  };
  return {
    get lastMicros() {
      return last;
    },
    next: () => nextRun(1),
    nextRun,
    holdAbove(micros) {
      last = Math.max(last, micros);
    },
  };
}
