import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '../../core/event/fault.js';
import { listenForStop } from './stopping.js';
import { errorText, print, type TextOutput } from './text-output.js';

export interface WatchOptions {
  stdout: TextOutput;
  stderr: TextOutput;
  /** Milliseconds between two looks, default 1,000. */
  intervalMs?: number | undefined;
  /** Default: this process. */
  signals?: NodeJS.EventEmitter | undefined;
}

const INTERVAL_MS = 1_000;
const DONE = 0;
/** Faults that another look will not mend. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  'QUERY_INVALID',
  'ARGUMENT_INVALID',
  'PARAMETER_INVALID',
  'READER_CLOSED',
  'ISSUE_NOT_FOUND',
  'FOLDER_NOT_FOUND',
]);

/**
 * Looks again and again until it is interrupted or nobody reads any more, and answers the exit code. The first look has to succeed; later a collector that is gone is told of once and
 * looked for until it is back.
 */
export async function watch(look: () => Promise<void>, options: WatchOptions): Promise<number> {
  const { stdout, stderr, intervalMs = INTERVAL_MS, signals } = options;
  const stopping = listenForStop(stdout, signals);
  let isLost = false;
  try {
    await orStopped(look(), stopping.signal);
    while (!stopping.signal.aborted) {
      await wait(intervalMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) break;
      try {
        await orStopped(look(), stopping.signal);
        if (isLost) await print(stderr, 'Connected again.\n');
        isLost = false;
      } catch (error) {
        if (!(error instanceof Fault) || FINAL_CODES.has(error.code)) throw error;
        if (!isLost) await print(stderr, `${errorText(error).trimEnd()} Waiting for it.\n`);
        isLost = true;
      }
    }
    return stopping.exitCode() ?? DONE;
  } finally {
    stopping.close();
  }
}

/** Waits for work, but not after the end was asked for: a collector that hangs must not keep anybody. */
async function orStopped(work: Promise<void>, signal: AbortSignal): Promise<void> {
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
    // What it says after that interests nobody.
    work.catch(() => undefined);
  }
}
