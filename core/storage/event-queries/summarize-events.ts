import type { EventsSummary } from '../../../generated/reader-answers.js';
import type { EventSummaryOptions } from '../../contract/reader.js';
import { parseQuery } from '../../query/parse-query.js';
import { matchesEverything, type QueryNode } from '../../query/query-ast.js';
import { type IssueState, storedEventsOf } from '../index/content/issue-state.js';
import type { IssueSearch } from '../issue-queries/issue-search.js';
import { walkIssues } from './event-cursor.js';
import { EventFacets } from './event-facets.js';
import { countEventTimes, HistogramCounts, type HistogramRange, histogramRange } from './event-histogram.js';
import { createEventSelector, type EventQueryContext } from './event-query.js';
import { scanEvents } from './scan-events.js';

/** Matching events after which a summary stops. */
const MAX_EVENTS = 5_000;
/** A summary stops after this time. */
const BUDGET_MS = 150;

interface SummarizedIssue {
  readonly query: QueryNode;
  readonly shown: IssueState;
  readonly members: readonly IssueState[];
}

/** Throws `PARAMETER_INVALID`; rejects with `INDEX_UNUSABLE`. */
export async function summarizeEvents(
  search: IssueSearch,
  context: EventQueryContext,
  { query, shown, members }: SummarizedIssue,
  options: EventSummaryOptions,
): Promise<EventsSummary> {
  const { content } = search;
  const range = histogramRange(options, shown);
  const counts = new HistogramCounts(range, options.buckets);
  const isForAll = matchesEverything(query);
  const isRanged = options.from !== undefined || options.to !== undefined;
  const asked: QueryNode = isRanged ? { kind: 'and', nodes: [query, rangeQuery(range)] } : query;

  const selector = createEventSelector(asked, search, context);
  const facets = new EventFacets();
  const deadline = performance.now() + BUDGET_MS;
  /** Matches only the event that ends the scan, so no other event is held. */
  const isEnough: NonNullable<typeof selector.matches> = (event) => {
    if (selector.matches?.(event) !== false) {
      facets.add(event.normalized);
      if (!isForAll) counts.add(event.row.eventTimeMs, event.row.weight);
    }
    return facets.events >= MAX_EVENTS || performance.now() >= deadline;
  };
  const bounds = { limit: 1, maxEvents: Number.POSITIVE_INFINITY, budgetMs: BUDGET_MS };
  const { scanned, isEnd } = await scanEvents(walkIssues(content, members), { ...selector, matches: isEnough }, bounds);

  const total = storedEventsOf(shown);
  // The index has the times of all events.
  const isComplete = isForAll ? await countEventTimes(content, members, counts) : isEnd || scanned >= total;
  return {
    histogram: counts.histogram(isComplete),
    facets: facets.facets(),
    looked_at: scanned,
    matched: facets.events,
    total,
  };
}

function rangeQuery({ fromMs, toMs }: HistogramRange): QueryNode {
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
  return parseQuery(`timestamp:>=${from} timestamp:<${to}`, 'events');
}
