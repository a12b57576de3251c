import { setTimeout as delay } from 'node:timers/promises';
import type { Backoff } from './backoff.js';

const SECONDS = /^\d{1,10}$/;
/** All three forms of a date begin with the day of the week. */
const DATE = /^[A-Z][a-z]{2,8},? /;
/** A server that asks for more is asked again after a day. */
const MAX_WAIT_MS = 24 * 3_600_000;

/** Milliseconds that a `Retry-After` header asks for, given as seconds or as an HTTP date (RFC 9110, 10.2.3); undefined where there is none that can be read. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined || header.length > 64) return undefined;
  const text = header.trim();
  const dateMs = DATE.test(text) ? Date.parse(text) : Number.NaN;
  const waitMs = SECONDS.test(text) ? Number(text) * 1000 : dateMs - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), MAX_WAIT_MS);
}

/** Resolves after so many milliseconds, or as soon as the signal is aborted. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal }).catch(() => undefined);
}

/** What came of one try. */
export type Attempt<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** Try again. `reason` is a sentence for people without anything of the event; `askedMs` what the server asked to wait. */
  | { readonly kind: 'retry'; readonly reason: string; readonly askedMs?: number | undefined };

/** What came of all tries. */
export type Tried<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'given_up'; readonly reason: string }
  | { readonly kind: 'stopped' };

/** Tries until there is an answer, the backoff gives up, or `stop` is aborted, also while one is waited for. `onRetry` is called after each failure that is tried again. */
export async function retrying<Answer>(
  attempt: () => Promise<Attempt<Answer>>,
  backoff: Backoff,
  stop: AbortSignal,
  onRetry: (reason: string) => void,
): Promise<Tried<Answer>> {
  while (!stop.aborted) {
    const result = await attempt();
    if (result.kind === 'answered') return result;
    // What a stop cut off says nothing of the server.
    if (stop.aborted) break;
    const waitMs = backoff.next(result.askedMs);
    if (waitMs === undefined) return { kind: 'given_up', reason: result.reason };
    onRetry(result.reason);
    await wait(waitMs, stop);
  }
  return { kind: 'stopped' };
}
