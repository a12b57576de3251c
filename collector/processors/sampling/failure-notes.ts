import type { Logger } from 'pino';
import type { Counter } from '../../telemetry/meters.js';

const LOG_INTERVAL_MS = 10_000;

/** Builds what counts errors of a processor and, unless it is silent, logs one of them in ten seconds by its name. */
export function createFailureNotes(failed: Counter, logger: Logger, isSilent: boolean): (error: unknown) => void {
  let nextLogAtMs = 0;
  return (error) => {
    failed.add();
    if (isSilent || performance.now() < nextLogAtMs) return;
    nextLogAtMs = performance.now() + LOG_INTERVAL_MS;
    // Never the error's words: they may hold the event's.
    const name = error instanceof Error ? error.name : typeof error;
    logger.error({ error_name: name }, 'the processor failed at an event');
  };
}
