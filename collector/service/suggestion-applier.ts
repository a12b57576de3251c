import type { Logger } from 'pino';
import type { Component } from '../component/component.js';
import { type Every, everyInterval } from '../processors/event-processor/every.js';
import type { RegroupJobs } from '../query/regroup-jobs.js';

const INTERVAL_MS = 600_000;

/** Accepts all suggestions every ten minutes. */
export function createSuggestionApplier({
  regroupings,
  logger,
  every = everyInterval,
}: {
  regroupings: Pick<RegroupJobs, 'acceptAll'>;
  logger: Logger;
  /** For tests. */
  every?: Every;
}): Component {
  let stop = (): void => undefined;
  const accept = (): void => {
    regroupings.acceptAll('automatic').catch((err: unknown) => logger.error({ err }, 'suggestions were not accepted'));
  };
  return {
    async start() {
      stop = every(INTERVAL_MS, accept);
    },
    async shutdown() {
      stop();
    },
  };
}
