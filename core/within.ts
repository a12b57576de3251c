import { setTimeout as delay } from 'node:timers/promises';

/** The result of some work, or undefined after the timeout; the work then continues unobserved. Rejects as the work does. */
export async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result | undefined> {
  const done = new AbortController();
  const timeout = delay(timeoutMs, undefined, { signal: done.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    done.abort();
  }
}
