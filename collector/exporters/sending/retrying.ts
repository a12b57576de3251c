import { parseDuration } from '../../../config/values/duration.js';
import type { RetrySettings } from '../../../generated/settings.js';
import { wait } from '../../component/until-done.js';

/** Returns the delay after another failure of one request in milliseconds, at least `retryAfterMs`; undefined to give up. */
export type Backoff = (retryAfterMs?: number) => number | undefined;

interface BackoffClock {
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
  /** In [0, 1), default `Math.random`. */
  readonly random?: () => number;
}

const SECONDS = /^\d{1,10}$/;
/** All three HTTP date formats begin with the day of the week. */
const DATE = /^[A-Z][a-z]{2,8},? /;
const MAX_WAIT_MS = 24 * 3_600_000;

/** Parses a `Retry-After` header (RFC 9110, 10.2.3) to milliseconds, at most a day; undefined if missing or invalid. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined || header.length > 64) return undefined;
  const text = header.trim();
  const dateMs = DATE.test(text) ? Date.parse(text) : Number.NaN;
  const waitMs = SECONDS.test(text) ? Number(text) * 1000 : dateMs - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), MAX_WAIT_MS);
}

/** Result of one attempt. */
export type Attempt<Result> =
  | { readonly kind: 'completed'; readonly result: Result }
  /** `reason` is a sentence without event data; `retryAfterMs` is the delay that the server requests. */
  | { readonly kind: 'retry'; readonly reason: string; readonly retryAfterMs?: number | undefined };

type RetryOutcome<Result> =
  | { readonly kind: 'completed'; readonly result: Result }
  | { readonly kind: 'given_up'; readonly reason: string }
  | { readonly kind: 'stopped' };

/** Repeats `attempt` until it completes, the backoff gives up, or `stop` aborts. Calls `onRetry` before each delay. */
export async function retrying<Result>(
  attempt: () => Promise<Attempt<Result>>,
  backoff: Backoff,
  stop: AbortSignal,
  onRetry: (reason: string) => void,
): Promise<RetryOutcome<Result>> {
  while (!stop.aborted) {
    const result = await attempt();
    if (result.kind === 'completed') return result;
    // An attempt cut off by `stop` is not a failure of the server.
    if (stop.aborted) break;
    const waitMs = backoff(result.retryAfterMs);
    if (waitMs === undefined) return { kind: 'given_up', reason: result.reason };
    onRetry(result.reason);
    await wait(waitMs, stop);
  }
  return { kind: 'stopped' };
}

/** Starts an exponential backoff with jitter. */
export function beginBackoff(
  settings: RetrySettings,
  { nowMs = () => performance.now(), random = Math.random }: BackoffClock = {},
): Backoff {
  const maxMs = parseDuration(settings.max_interval);
  const maxElapsedMs = parseDuration(settings.max_elapsed_time);
  const { enabled, multiplier, randomization_factor: spread } = settings;
  const beganMs = nowMs();
  let intervalMs = Math.min(parseDuration(settings.initial_interval), maxMs);
  return (retryAfterMs = 0) => {
    if (!enabled) return undefined;
    const jitteredMs = intervalMs * (1 + spread * (2 * random() - 1));
    const waitMs = Math.max(retryAfterMs, Math.min(jitteredMs, maxMs));
    intervalMs = Math.min(intervalMs * multiplier, maxMs);
    const isOver = maxElapsedMs > 0 && nowMs() - beganMs + waitMs > maxElapsedMs;
    return isOver ? undefined : waitMs;
  };
}
