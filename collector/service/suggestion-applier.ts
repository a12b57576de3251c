import type { Logger } from 'pino';
import type { Component } from '../component/built-in.js';
import { everyInterval } from '../processors/event-processor/every.js';
import type { RegroupJobs } from '../query/regroup-jobs.js';

const INTERVAL_MS = 600_000;

/** Accepts all suggestions every ten minutes; tests replace `every`. */
export function createSuggestionApplier(
  regroupings: Pick<RegroupJobs, 'acceptAll'>,
  logger: Logger,
  every = everyInterval,
): Component {
  let stop = (): void => undefined;
  const accept = (): void => {
    regroupings.acceptAll('automatic').catch((err: unknown) => logger.error({ err }, 'suggestions were not accepted'));
  };
  return {
    start: async () => {
      stop = every(INTERVAL_MS, accept);
    },
    shutdown: async () => stop(),
  };
}
