import type { ReceivedEvent } from '../../core/contract/stages.js';
import { payloadMatcher } from '../../core/query/match-query.js';
import { parseQuery } from '../../core/query/parse-query.js';
import { matchesEverything, type QueryNode } from '../../core/query/query-ast.js';
import { QueryFault } from '../../core/query/query-fault.js';
import type { FilterProcessorSettings } from '../../generated/settings.js';
import type { PlainProcessor, ProcessorFactory } from '../component/built-in.js';
import type { Dropped } from '../component/plugin.js';
import { eachEvent } from './event-processor/event-processor.js';
import { runNowOrInSlices, type Steps } from './event-processor/steps.js';

/** Parses one query of `drop`. Throws `QUERY_INVALID`, also for a query that would drop every event. */
export function parseDropQuery(text: string): QueryNode {
  const query = parseQuery(text, 'payloads');
  if (matchesEverything(query)) throw new QueryFault(0, 'it is empty and would drop every event.');
  return query;
}

/** Milliseconds after which other work may run between two queries; `max_string_length` bounds what one query scans. */
const PAUSE_AFTER_MS = 2;

const FILTERED: Dropped = Object.freeze({ kind: 'dropped', as: 'filtered', reason: 'FILTERED' });

/** Processor `filter`: drops events that a query matches. */
export const filterProcessor: ProcessorFactory<FilterProcessorSettings> = {
  stability: 'alpha',
  create: createFilterProcessor,
};

/** Creates processor `filter`, which drops events that any query matches. Throws `QUERY_INVALID`. */
export function createFilterProcessor(settings: FilterProcessorSettings): PlainProcessor {
  const matchers = settings.drop.map(parseDropQuery).map(payloadMatcher);

  function* filtered(event: ReceivedEvent): Steps<ReceivedEvent | Dropped> {
    const beganAtMs = performance.now();
    for (const matches of matchers) {
      if (matches(event.payload)) return FILTERED;
      if (performance.now() - beganAtMs > PAUSE_AFTER_MS) yield;
    }
    return event;
  }

  return {
    errorMode: settings.error_mode,
    consume: eachEvent((event) => runNowOrInSlices(filtered(event))),
  };
}
