import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after so many milliseconds, or as soon as the signal is aborted. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal }).catch(() => undefined);
}
