import type { EventsSummary, Facet, FacetValue } from '../../../generated/reader-answers.js';
import type { EventSummaryOptions } from '../../contract/reader.js';
import type { NormalizedEvent } from '../../event/normalized-event.js';
import { compareTexts } from '../../event/text.js';
import { parseQuery } from '../../query/parse-query.js';
import { printFieldName } from '../../query/print-query.js';
import { matchesEverything, type QueryNode } from '../../query/query-ast.js';
import { type IssueState, storedEventsOf } from '../index/content/issue-state.js';
import type { IssueSearch } from '../issue-queries/issue-search.js';
import { walkIssues } from './event-cursor.js';
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
  const rangedQuery: QueryNode = isRanged ? { kind: 'and', nodes: [query, rangeQuery(range)] } : query;

  const selector = createEventSelector(rangedQuery, search, context);
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
  const isComplete = isForAll ? await countEventTimes(content, members, counts) : isEnd || scanned.events >= total;
  return {
    histogram: counts.histogram(isComplete),
    facets: facets.facets(),
    looked_at: scanned.events - scanned.skipped,
    matched: facets.events,
    total: total - scanned.skipped,
  };
}

function rangeQuery({ fromMs, toMs }: HistogramRange): QueryNode {
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
  return parseQuery(`timestamp:>=${from} timestamp:<${to}`, 'events');
}

/** Fields of every event, in display order. */
const FIELDS = ['env', 'release', 'service', 'level', 'status_code', 'route', 'user_id'] as const;

/** Most values of a facet, and most tags shown. */
const MAX_VALUES = 10;
const MAX_TAGS = 16;
/** UTF-16 units of a value or key; longer ones do not fit into a query. */
const MAX_UNITS = 1024;
/** Counted tags; senders may invent any number. */
const MAX_COUNTED_TAGS = 16_384;

/** Counts the values of events' fields. */
class EventFacets {
  readonly #fields = FIELDS.map((field) => [field, new ValueCounts()] as const);
  readonly #tags = new Map<string, ValueCounts>();
  events = 0;

  add(event: NormalizedEvent): void {
    this.events += 1;
    for (const [field, counts] of this.#fields) {
      const value = event[field];
      if (value !== null) counts.add(String(value));
    }
    for (const [key, value] of Object.entries(event.tags)) this.#countsOf(key)?.add(value);
  }

  /** The common fields, then the most frequent tags. */
  facets(): Facet[] {
    const tags = [...this.#tags]
      .filter(([, { events }]) => events > 0)
      .sort(([left, one], [right, other]) => other.events - one.events || compareTexts(left, right))
      .slice(0, MAX_TAGS)
      .map(([key, counts]) => [printFieldName(`tags.${key}`), counts] as const);
    return [...this.#fields, ...tags].map(([field, counts]) => counts.facet(field, this.events));
  }

  #countsOf(key: string): ValueCounts | undefined {
    const existing = this.#tags.get(key);
    if (existing !== undefined || this.#tags.size >= MAX_COUNTED_TAGS || key.length > MAX_UNITS) return existing;
    const counts = new ValueCounts();
    this.#tags.set(key, counts);
    return counts;
  }
}

class ValueCounts {
  readonly #counts = new Map<string, number>();
  /** Events with a value. */
  events = 0;

  /** Ignores empty values. */
  add(value: string): void {
    if (value === '') return;
    this.events += 1;
    if (value.length <= MAX_UNITS) this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
  }

  /** `events`: with and without a value. */
  facet(field: string, events: number): Facet {
    const values = [...this.#counts]
      .map(([value, count]): FacetValue => ({ value, count }))
      .sort((one, other) => other.count - one.count || compareTexts(one.value, other.value))
      .slice(0, MAX_VALUES);
    const shown = values.reduce((sum, { count }) => sum + count, 0);
    return { field, values, others: this.events - shown, without: events - this.events };
  }
}
