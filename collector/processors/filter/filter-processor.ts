import type { FilterProcessorSettings } from '../../../generated/settings.js';
import type { Component } from '../../component/component.js';
import type { Consumer } from '../../component/consumer.js';
import { createEventProcessor, type Dropped, type EventProcessorPlace } from '../event-processor/event-processor.js';
import { doInTurns } from '../event-processor/steps.js';
import { dropMatcher } from './drop-queries.js';

const FILTERED: Dropped = Object.freeze({ kind: 'dropped', as: 'filtered', reason: 'FILTERED' });

/** Builds processor `filter`: drops events that a query matches. Throws `QUERY_INVALID`. */
export function createFilterProcessor(
  id: string,
  settings: FilterProcessorSettings,
  place: EventProcessorPlace,
): Component & Consumer {
  const isDropped = dropMatcher(settings.drop);
  return createEventProcessor(id, place, settings.error_mode, {
    event: (event) => {
      const answer = isDropped(event.payload);
      if (typeof answer === 'boolean') return answer ? FILTERED : event;
      return doInTurns(answer).then((isMatched) => (isMatched ? FILTERED : event));
    },
  });
}
