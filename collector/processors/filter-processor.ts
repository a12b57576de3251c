import type { RawPayload } from '../../core/event/raw-payload.js';
import { payloadMatcher } from '../../core/query/match-query.js';
import { parseQuery } from '../../core/query/parse-query.js';
import { matchesEverything, type QueryNode } from '../../core/query/query-ast.js';
import { QueryFault } from '../../core/query/query-fault.js';
import type { FilterProcessorSettings } from '../../generated/settings.js';
import type { Component } from '../component/component.js';
import type { Consumer } from '../component/consumer.js';
import { createEventProcessor, type Dropped, type EventProcessorContext } from './event-processor/event-processor.js';
import { runInSlices, type Steps } from './event-processor/steps.js';
import { steppedMatcher } from './match-in-steps.js';

/** Parses one query of `drop`. Throws `QUERY_INVALID`, also for a query that would drop every event. */
export function parseDropQuery(text: string): QueryNode {
  const query = parseQuery(text, 'payloads');
  if (matchesEverything(query)) throw new QueryFault(0, 'it is empty and would drop every event.');
  return query;
}

/** Whether any query matches a payload; in steps for large texts. */
type DropMatcher = (payload: RawPayload) => boolean | Steps<boolean>;

/** UTF-16 units that all queries may scan without a pause: one to two milliseconds. */
const UNITS_AT_ONCE = 256 * 1024;

/** Compiles the queries. Throws `QUERY_INVALID`. */
function dropMatcher(queries: readonly string[]): DropMatcher {
  const nodes = queries.map(parseDropQuery);
  const matchers = nodes.map(payloadMatcher);
  const stepped = steppedMatcher({ kind: 'or', nodes });
  return (payload) => {
    if (stepped.unitsOf(payload) > UNITS_AT_ONCE) return stepped.matches(payload);
    for (const matches of matchers) if (matches(payload)) return true;
    return false;
  };
}

const FILTERED: Dropped = Object.freeze({ kind: 'dropped', as: 'filtered', reason: 'FILTERED' });

/** Creates processor `filter`, which drops events that any query matches. Throws `QUERY_INVALID`. */
export function createFilterProcessor(
  id: string,
  settings: FilterProcessorSettings,
  place: EventProcessorContext,
): Component & Consumer {
  const isDropped = dropMatcher(settings.drop);
  return createEventProcessor(id, place, settings.error_mode, {
    event: (event) => {
      const answer = isDropped(event.payload);
      if (typeof answer === 'boolean') return answer ? FILTERED : event;
      return runInSlices(answer).then((isMatched) => (isMatched ? FILTERED : event));
    },
  });
}
