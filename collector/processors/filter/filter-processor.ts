import type { Logger } from 'pino';
import type { FilterProcessorSettings } from '../../../config/settings.js';
import type { Component } from '../../component.js';
import type { Consumer } from '../../pipeline.js';
import type { Meters } from '../../telemetry/meters.js';
import { createEventProcessor, type Dropped } from '../event-processor.js';
import { doInTurns } from '../steps.js';
import { dropMatcher } from './drop-queries.js';

/** What a filter is built from. */
export interface FilterProcessorOptions {
  readonly id: string;
  readonly settings: FilterProcessorSettings;
  readonly consumer: Consumer;
  readonly meters: Meters;
  readonly logger: Logger;
}

const FILTERED: Dropped = Object.freeze({ kind: 'dropped', as: 'filtered', reason: 'FILTERED' });

/** Builds processor `filter`: drops events that a query matches. Throws `QUERY_INVALID`. */
export function createFilterProcessor(options: FilterProcessorOptions): Component & Consumer {
  const { id, settings, consumer, meters, logger } = options;
  const isDropped = dropMatcher(settings.drop);
  return createEventProcessor({
    id,
    errorMode: settings.error_mode,
    consumer,
    meters,
    logger,
    steps: {
      event: (event) => {
        const answer = isDropped(event.payload);
        if (typeof answer === 'boolean') return answer ? FILTERED : event;
        return doInTurns(answer).then((isMatched) => (isMatched ? FILTERED : event));
      },
    },
  });
}
