import { Fault } from '../../../core/event/fault.js';
import { untilDone } from '../../component/until-done.js';

const GRACE_MS = 800;
const RESTART_DELAY_MS = 5_000;

/** Creates a runner of work that runs until stopped and is restarted after unexpected failures. */
export function createRunningSender(restartDelayMs = RESTART_DELAY_MS) {
  const stopping = new AbortController();
  const aborting = new AbortController();
  const running: Promise<void>[] = [];
  const stop = stopping.signal;

  return {
    /** Ends retries and delays. */
    stop,
    /** Ends a running request, a little later. */
    abort: aborting.signal,

    /** Runs work until it resolves; it must end with `stop`. If it rejects, calls `onFailure` without event data and restarts it. */
    run(work: () => Promise<void>, onFailure: (reason: string) => void): void {
      const report = (error: unknown): void => {
        if (!stop.aborted) onFailure(reasonOf(error));
      };
      running.push(untilDone(work, { stop, firstMs: restartDelayMs, onFailure: report }));
    },

    /** Stops all work and waits for it; a running request has 0.8 s. Idempotent. */
    async end(): Promise<void> {
      stopping.abort();
      const timer = setTimeout(() => aborting.abort(), GRACE_MS);
      await Promise.all(running);
      clearTimeout(timer);
    },
  };
}

/** Messages of unexpected errors may quote the event. */
export function reasonOf(error: unknown): string {
  if (error instanceof Fault) return error.message;
  return `it failed: ${error instanceof Error ? error.name : typeof error}`;
}
