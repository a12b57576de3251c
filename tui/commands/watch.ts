import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '../../core/event/fault.js';
import { listenForStop } from './stop-listener.js';
import { errorText, print, type TextOutput } from './text-output.js';

export interface WatchOptions {
  stdout: TextOutput;
  stderr: TextOutput;
  /** Milliseconds between two polls, default 1,000. */
  intervalMs?: number | undefined;
  /** Default: this process. */
  signals?: NodeJS.EventEmitter | undefined;
}

const INTERVAL_MS = 1_000;
const DONE = 0;
/** Faults that a retry cannot fix. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  'QUERY_INVALID',
  'ARGUMENT_INVALID',
  'PARAMETER_INVALID',
  'READER_CLOSED',
  'ISSUE_NOT_FOUND',
  'FOLDER_NOT_FOUND',
]);

/**
 * Polls until it is interrupted or the reader of standard output exits; returns the exit code. The first poll must
 * succeed. Later a retryable failure is printed once and polling continues.
 */
export async function watch(poll: () => Promise<void>, options: WatchOptions): Promise<number> {
  const { stdout, stderr, intervalMs = INTERVAL_MS, signals } = options;
  const stop = listenForStop(stdout, signals);
  let isLost = false;
  try {
    await untilStopped(poll(), stop.signal);
    while (!stop.signal.aborted) {
      await wait(intervalMs, undefined, { signal: stop.signal }).catch(() => undefined);
      if (stop.signal.aborted) break;
      try {
        await untilStopped(poll(), stop.signal);
        if (isLost) await print(stderr, 'Connected again.\n');
        isLost = false;
      } catch (error) {
        if (!(error instanceof Fault) || FINAL_CODES.has(error.code)) throw error;
        if (!isLost) await print(stderr, `${errorText(error).trimEnd()} Waiting for it.\n`);
        isLost = true;
      }
    }
    return stop.exitCode() ?? DONE;
  } finally {
    stop.close();
  }
}

/** Waits for work or for the stop signal, so that a collector that hangs does not block the exit. */
async function untilStopped(work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let onAbort: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    onAbort = resolve;
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    // After the stop a rejection has no handler left.
    work.catch(() => undefined);
  }
}
