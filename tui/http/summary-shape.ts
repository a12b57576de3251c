import type { EventHistogram, EventsSummary, Facet, FacetValue } from '../../core/reader.js';
import { isBoolean, isNumber, isString, listOf, recordOf } from './check.js';

/** `GET /issues/{issue_id}/summary`. */
export const isEventsSummary = recordOf<EventsSummary>({
  histogram: recordOf<EventHistogram>({
    from: isString,
    to: isString,
    counts: listOf(isNumber),
    is_complete: isBoolean,
  }),
  facets: listOf(
    recordOf<Facet>({
      field: isString,
      values: listOf(recordOf<FacetValue>({ value: isString, count: isNumber })),
      others: isNumber,
      without: isNumber,
    }),
  ),
  looked_at: isNumber,
  matched: isNumber,
  total: isNumber,
});
