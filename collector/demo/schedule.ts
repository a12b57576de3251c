import type { RawPayload } from '../../core/event/raw-payload.js';
import type { Random } from './random.js';
import { SHOP_FAILURES, type ShopFailure, shopPayload } from './shop.js';

const HOUR_MS = 3_600_000;
/** The release in which the returning failure comes back went live this long before the demo starts. */
const LATEST_RELEASE_AGE_MS = 90 * 60_000;
const FIXED_RELEASE_AGE_MS = 16 * HOUR_MS;

/** The release that ran at a time. */
function releaseAt(atMs: number, startMs: number): string {
  const ageMs = startMs - atMs;
  if (ageMs > FIXED_RELEASE_AGE_MS) return 'v2.3.0';
  return ageMs > LATEST_RELEASE_AGE_MS ? 'v2.4.0' : 'v2.4.1';
}

/** How many times its ordinary rate a failure happens at a time: the whole plot of the demo. */
function intensity(failure: ShopFailure, atMs: number, startMs: number): number {
  const release = releaseAt(atMs, startMs);
  switch (failure.course) {
    case 'steady':
      return 1;
    case 'returns':
      return release === 'v2.4.0' ? 0 : 1;
    case 'spike':
      // In the past quiet but for the last twenty minutes; live, a burst of twelve seconds in every forty.
      if (atMs < startMs) return startMs - atMs < 20 * 60_000 ? 12 : 0.05;
      return (atMs - startMs) % 40_000 < 12_000 ? 12 : 0.3;
    default:
      return failure.course satisfies never;
  }
}

function pickAt(random: Random, atMs: number, startMs: number): ShopFailure | undefined {
  const shares = SHOP_FAILURES.map((failure) => failure.weight * intensity(failure, atMs, startMs));
  let left = random.next() * shares.reduce((sum, share) => sum + share, 0);
  return SHOP_FAILURES.find((_, place) => {
    left -= shares[place] ?? 0;
    return left < 0;
  });
}

function eventAt(random: Random, atMs: number, startMs: number): RawPayload[] {
  const failure = pickAt(random, atMs, startMs);
  return failure === undefined ? [] : [shopPayload(failure, random, atMs, releaseAt(atMs, startMs))];
}

/** The shop's failures of the 24 hours before `startMs`, oldest first; busier by day than by night. */
export function pastEvents(random: Random, startMs: number, count: number): RawPayload[] {
  const times = Array.from({ length: count }, () => {
    // Squaring crowds the events toward the start of the demo, as a day that gets busier does.
    const age = random.next() ** 1.6;
    return startMs - Math.floor(age * 24 * HOUR_MS) - 1;
  }).sort((a, b) => a - b);
  return times.flatMap((atMs) => eventAt(random, atMs, startMs));
}

/** The failures of one tick of live traffic: more of them while something spikes. */
export function liveEvents(random: Random, nowMs: number, startMs: number, tickMs: number): RawPayload[] {
  const total = SHOP_FAILURES.reduce((sum, failure) => sum + failure.weight * intensity(failure, nowMs, startMs), 0);
  const ordinary = SHOP_FAILURES.reduce((sum, failure) => sum + failure.weight, 0);
  const expected = (3 * (total / ordinary) * tickMs) / 1000;
  const events = Math.floor(expected) + (random.next() < expected % 1 ? 1 : 0);
  return Array.from({ length: events }, () => eventAt(random, nowMs, startMs)).flat();
}
