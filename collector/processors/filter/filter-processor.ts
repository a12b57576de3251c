import type { FilterProcessorSettings } from '../../../generated/settings.js';
import type { Component } from '../../component.js';
import type { Consumer } from '../../pipeline.js';
import { createEventProcessor, type Dropped, type EventProcessorPlace } from '../event-processor.js';
import { doInTurns } from '../steps.js';
import { dropMatcher } from './drop-queries.js';

/** What a filter is built from. */
export interface FilterProcessorOptions extends EventProcessorPlace {
  readonly settings: FilterProcessorSettings;
}

const FILTERED: Dropped = Object.freeze({ kind: 'dropped', as: 'filtered', reason: 'FILTERED' });

/** Builds processor `filter`: drops events that a query matches. Throws `QUERY_INVALID`. */
export function createFilterProcessor(options: FilterProcessorOptions): Component & Consumer {
  const { settings, ...place } = options;
  const isDropped = dropMatcher(settings.drop);
  return createEventProcessor({
    ...place,
    errorMode: settings.error_mode,
    steps: {
      event: (event) => {
        const answer = isDropped(event.payload);
        if (typeof answer === 'boolean') return answer ? FILTERED : event;
        return doInTurns(answer).then((isMatched) => (isMatched ? FILTERED : event));
      },
    },
  });
}
