import type { RawPayload } from '../../core/event/raw-payload.js';
import { Random } from './random.js';
import { SHOP_FAILURES, type ShopFailure, shopPayload } from './shop.js';

const HOUR_MS = 3_600_000;

/** Ages of releases at the start of the demo; the regressed failure is missing between the two. */
const LATEST_RELEASE_AGE_MS = 90 * 60_000;
const FIXED_RELEASE_AGE_MS = 16 * HOUR_MS;

/** Small, so that past events stay in order: a commit is ordered by partition. */
const BATCH = 50;
const TICK_MS = 500;

export interface TrafficOptions {
  send: (payloads: readonly RawPayload[]) => Promise<void>;
  /** Number of events of the past day to send first. */
  pastEvents: number;
  seed: number;
  /** Called if a batch of live traffic could not be sent; traffic continues. */
  onFault: () => void;
}

/** Sends the events of the past day, then live traffic in the background until `stop`. */
export async function startTraffic({ send, onFault, ...options }: TrafficOptions) {
  const random = new Random(options.seed);
  const startMs = Date.now();
  const past = pastEvents(random, startMs, options.pastEvents);
  for (let first = 0; first < past.length; first += BATCH) await send(past.slice(first, first + BATCH));

  let sending: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (sending !== undefined) return;
    const events = liveEvents(random, Date.now(), startMs, TICK_MS);
    if (events.length === 0) return;
    sending = send(events)
      .catch(onFault)
      .finally(() => {
        sending = undefined;
      });
  }, TICK_MS);
  return {
    /** Resolves after the current batch. */
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await sending;
    },
  };
}

function releaseAt(atMs: number, startMs: number): string {
  const ageMs = startMs - atMs;
  if (ageMs > FIXED_RELEASE_AGE_MS) return 'v2.3.0';
  return ageMs > LATEST_RELEASE_AGE_MS ? 'v2.4.0' : 'v2.4.1';
}

/** The factor by which a failure is more frequent than usual at a time. */
function intensity(failure: ShopFailure, atMs: number, startMs: number): number {
  const release = releaseAt(atMs, startMs);
  switch (failure.course) {
    case undefined:
      return 1;
    case 'regressed':
      return release === 'v2.4.0' ? 0 : 1;
    case 'spike':
      // In the past, only the last twenty minutes; live, twelve of every forty seconds.
      if (atMs < startMs) return startMs - atMs < 20 * 60_000 ? 12 : 0.05;
      return (atMs - startMs) % 40_000 < 12_000 ? 12 : 0.3;
    default:
      return failure.course satisfies never;
  }
}

function pickFailure(random: Random, atMs: number, startMs: number): ShopFailure | undefined {
  const weights = SHOP_FAILURES.map((failure) => failure.weight * intensity(failure, atMs, startMs));
  let rest = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
  return SHOP_FAILURES.find((_, index) => {
    rest -= weights[index] ?? 0;
    return rest < 0;
  });
}

function eventAt(random: Random, atMs: number, startMs: number): RawPayload[] {
  const failure = pickFailure(random, atMs, startMs);
  return failure === undefined ? [] : [shopPayload(failure, random, atMs, releaseAt(atMs, startMs))];
}

function pastEvents(random: Random, startMs: number, count: number): RawPayload[] {
  const times = Array.from({ length: count }, () => {
    // The exponent makes events more frequent towards the start of the demo.
    const age = random.next() ** 1.6;
    return startMs - Math.floor(age * 24 * HOUR_MS) - 1;
  }).sort((a, b) => a - b);
  return times.flatMap((atMs) => eventAt(random, atMs, startMs));
}

function liveEvents(random: Random, nowMs: number, startMs: number, tickMs: number): RawPayload[] {
  const total = SHOP_FAILURES.reduce((sum, failure) => sum + failure.weight * intensity(failure, nowMs, startMs), 0);
  const ordinary = SHOP_FAILURES.reduce((sum, failure) => sum + failure.weight, 0);
  const expected = (3 * (total / ordinary) * tickMs) / 1000;
  const events = Math.floor(expected) + (random.next() < expected % 1 ? 1 : 0);
  return Array.from({ length: events }, () => eventAt(random, nowMs, startMs)).flat();
}
