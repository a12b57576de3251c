import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after `ms` milliseconds, or when the signal aborts. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal }).catch(() => undefined);
}

interface RepeatOptions {
  /** Ends the delays; the work itself goes on. */
  readonly stop: AbortSignal;
  /** The delay after the first failure, milliseconds. */
  readonly firstMs: number;
  /** Delays double up to this one; default: all are equal. */
  readonly longestMs?: number;
  /** Called before each delay. */
  readonly onFailure: (error: unknown) => void | Promise<void>;
}

/** Repeats work until it succeeds; resolves with undefined if it is stopped before. */
export async function untilDone<Result>(
  work: () => Promise<Result>,
  { stop, firstMs, longestMs = firstMs, onFailure }: RepeatOptions,
): Promise<Result | undefined> {
  for (let waitMs = firstMs; !stop.aborted; waitMs = Math.min(2 * waitMs, longestMs)) {
    try {
      return await work();
    } catch (error) {
      await onFailure(error);
    }
    await wait(waitMs, stop);
  }
  return undefined;
}
