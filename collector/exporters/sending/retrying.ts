import { setTimeout as delay } from 'node:timers/promises';
import type { Backoff } from './backoff.js';

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

/** Resolves after `ms` milliseconds, or when the signal aborts. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal }).catch(() => undefined);
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
    const waitMs = backoff.next(result.retryAfterMs);
    if (waitMs === undefined) return { kind: 'given_up', reason: result.reason };
    onRetry(result.reason);
    await wait(waitMs, stop);
  }
  return { kind: 'stopped' };
}
