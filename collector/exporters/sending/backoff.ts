import { parseDuration } from '../../../config/values/duration.js';
import type { RetrySettings } from '../../../generated/settings.js';

/** Computes the delays between attempts of one request. */
export interface Backoff {
  /** Returns the delay after another failure in milliseconds, at least `retryAfterMs`; undefined to give up. */
  next(retryAfterMs?: number): number | undefined;
}

interface BackoffClock {
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
  /** In [0, 1), default `Math.random`. */
  readonly random?: () => number;
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
  return {
    next(retryAfterMs = 0) {
      if (!enabled) return undefined;
      const jitteredMs = intervalMs * (1 + spread * (2 * random() - 1));
      const waitMs = Math.max(retryAfterMs, Math.min(jitteredMs, maxMs));
      intervalMs = Math.min(intervalMs * multiplier, maxMs);
      const isOver = maxElapsedMs > 0 && nowMs() - beganMs + waitMs > maxElapsedMs;
      return isOver ? undefined : waitMs;
    },
  };
}
