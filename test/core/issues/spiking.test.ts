import { isSpiking } from '../../../core/issues/spiking.js';

const QUIET = new Array<number>(24).fill(0);
const STEADY = new Array<number>(24).fill(20);

/** The hourly counts with other ones in the last hours. */
function ending(trend: readonly number[], ...last: readonly number[]): number[] {
  return [...trend.slice(0, trend.length - last.length), ...last];
}

/** Returns pseudo-random numbers from 0 to 1, the same in every run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Counts with this mean whose variance is `dispersion` times as large: a Poisson distribution at 1, otherwise a negative binomial one, as a Poisson sum of logarithmic bursts. */
function createCounts(random: () => number, mean: number, dispersion: number): () => number {
  const p = 1 - 1 / dispersion;
  const clumps = dispersion === 1 ? mean : (mean / (dispersion - 1)) * Math.log(dispersion);
  const poisson = (): number => {
    let count = 0;
    // The time until the next event is exponential.
    let at = -Math.log(1 - random());
    while (at < clumps) {
      count += 1;
      at -= Math.log(1 - random());
    }
    return count;
  };
  const clump = (): number => {
    if (dispersion === 1) return 1;
    let left = random();
    let chance = -p / Math.log(1 - p);
    for (let size = 1; ; size += 1) {
      left -= chance;
      if (left <= 0 || chance < 1e-12) return size;
      chance *= (p * size) / (size + 1);
    }
  };
  return () => {
    let sum = 0;
    for (let left = poisson(); left > 0; left -= 1) sum += clump();
    return sum;
  };
}

/** Approximate number of events that are generated for each case. */
const EVENTS = 150_000;

function falseAlarms(mean: number, dispersion: number): number {
  const count = createCounts(createRandom(mean * 1000 + dispersion), mean, dispersion);
  const issues = Math.min(10_000, Math.ceil(EVENTS / (24 * mean)));
  let alarms = 0;
  for (let issue = 0; issue < issues; issue += 1) {
    if (isSpiking(Array.from({ length: 24 }, count), 24)) alarms += 1;
  }
  return alarms / issues;
}

describe('spiking', () => {
  it('is an hour with many times the events of the past', () => {
    expect(isSpiking(ending(STEADY, 100), 24)).toBe(true);
    expect(isSpiking(ending(QUIET, 30), 24)).toBe(true);
  });

  it('is still detected at the start of the next hour', () => {
    expect(isSpiking(ending(STEADY, 100, 0), 24)).toBe(true);
    expect(isSpiking(ending(STEADY, 100, 20, 20), 24)).toBe(false);
  });

  it('is not a steady rate, a small increase or a few events', () => {
    expect(isSpiking(STEADY, 24)).toBe(false);
    expect(isSpiking(ending(STEADY, 30), 24)).toBe(false);
    expect(isSpiking(ending(QUIET, 9), 24)).toBe(false);
  });

  it('is not an hour like earlier ones', () => {
    const bursts = STEADY.map((count, hour) => (hour % 6 === 0 ? 100 : count));
    expect(isSpiking(ending(bursts, 100), 24)).toBe(false);
  });

  it('is false for issues with less than six hours of history', () => {
    for (const age of [0, 1, 5]) expect(isSpiking(ending(QUIET, 10_000), age)).toBe(false);
    expect(isSpiking(ending(QUIET, 10_000), 6)).toBe(true);
  });

  it.each([3, 20])('is a false positive for at most 1 of 1,000 issues with a constant rate of %d an hour', (mean) => {
    expect(falseAlarms(mean, 1)).toBeLessThanOrEqual(1 / 1000);
  });

  it.each([0.5, 3, 20])(
    'is a false positive for at most 1 of 300 issues when counts of mean %d vary five times as much',
    (mean) => {
      expect(falseAlarms(mean, 5)).toBeLessThanOrEqual(1 / 300);
    },
  );

  it.each([20])(
    'is a false positive for at most 1 of 250 issues when counts of mean %d vary twenty times as much',
    (mean) => {
      expect(falseAlarms(mean, 20)).toBeLessThanOrEqual(1 / 250);
    },
  );

  it('is nearly always detected at three times a rate of twenty an hour when counts vary twice as much', () => {
    const random = createRandom(3);
    const [usual, risen] = [createCounts(random, 20, 2), createCounts(random, 60, 2)];
    let seen = 0;
    for (let issue = 0; issue < 1000; issue += 1) {
      if (isSpiking([...Array.from({ length: 23 }, usual), risen()], 24)) seen += 1;
    }
    expect(seen).toBeGreaterThan(100);
  });
});
