import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RunningWork } from './running-work.js';
import type { Summaries } from './summaries.js';
import type { UnkeptEvents } from './unkept-events.js';

/** What a processor that stops has left. */
export interface DrainOptions {
  /** Batches that were taken and not answered yet. */
  readonly running: RunningWork;
  readonly unkept: UnkeptEvents;
  readonly summaries: Summaries;
  readonly timeoutMs: number;
  readonly logger: Logger;
}

const RETRY_MS = 25;

/** Waits for what runs, then hands on all that is to be counted yet, again and again while the line refuses. Says how much is lost when the time is over. */
export async function drainSummaries({ running, unkept, summaries, timeoutMs, logger }: DrainOptions): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  const remainingMs = (): number => Math.max(0, endMs - performance.now());
  await settledWithin(remainingMs(), running.ended());
  while (unkept.events > 0 && remainingMs() > 0) {
    await settledWithin(remainingMs(), summaries.flush(Number.POSITIVE_INFINITY));
    if (unkept.events > 0) await sleep(Math.min(RETRY_MS, remainingMs()));
  }
  summaries.end();
  if (unkept.events === 0) return;
  logger.error({ events: unkept.events }, 'the line refused until the end: events that were not kept are not counted');
}

/** Resolves when the work is done, however it ended, and after so many milliseconds at the latest; then it goes on unwatched. */
async function settledWithin(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  const settled = work.then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([settled, timeout]);
  clearTimeout(timer);
}
