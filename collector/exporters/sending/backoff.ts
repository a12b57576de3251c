import { parseDuration } from '../../../config/values/duration.js';
import type { RetrySettings } from '../../../generated/settings.js';

/** How long to wait between tries of one thing. */
export interface Backoff {
  /** Milliseconds to wait after one more failure, at least what the server asked for; undefined where it is to be given up. */
  next(askedMs?: number): number | undefined;
}

/** What time and chance are; handed in so that tests decide them. */
export interface BackoffClock {
  /** Monotonic milliseconds, default `performance.now`. */
  readonly nowMs?: () => number;
  /** From 0 up to, and without, 1; default `Math.random`. */
  readonly random?: () => number;
}

/** Begins to count the failures of one thing: each wait is longer than the one before, more or less by chance, so that many clients do not come back together. */
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
    next(askedMs = 0) {
      if (!enabled) return undefined;
      const jitteredMs = intervalMs * (1 + spread * (2 * random() - 1));
      const waitMs = Math.max(askedMs, Math.min(jitteredMs, maxMs));
      intervalMs = Math.min(intervalMs * multiplier, maxMs);
      const isOver = maxElapsedMs > 0 && nowMs() - beganMs + waitMs > maxElapsedMs;
      return isOver ? undefined : waitMs;
    },
  };
}
