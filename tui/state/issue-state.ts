import type { EventSummary, EventsSummary, IssueDetail, IssueSummary } from '../../generated/reader-answers.js';
import { EMPTY_LIST, type PagedList } from './paged-list.js';

/** What of an issue is shown below its header. */
export const ISSUE_PANES = ['events', 'facets', 'why', 'history', 'related'] as const;
export type IssuePane = (typeof ISSUE_PANES)[number];

/** A stretch of time that the events are held to, RFC 3339: from an instant up to, and without, another. */
export interface IssueTimeRange {
  readonly from: string;
  readonly to: string;
}

/** What a summary was read for, and when: it is read again when that is no longer so. */
export interface SummarySource {
  readonly query: string;
  /** Undefined: of all times. */
  readonly range: IssueTimeRange | undefined;
  /** Parts of its histogram. */
  readonly buckets: number;
  /** Events that the issue had then. */
  readonly count: number;
  /** When it was asked for, milliseconds since the epoch. */
  readonly atMs: number;
}

/** A summary with what it was read for. */
export interface LoadedSummary {
  readonly source: SummarySource;
  readonly summary: EventsSummary;
}

/** One issue: what is known of it, and its events. */
export interface IssueScreen {
  readonly kind: 'issue';
  readonly key: number;
  /** As it was in the list, then as it is read again. */
  readonly issue: IssueSummary;
  /** Undefined until it is read. */
  readonly detail: IssueDetail | undefined;
  readonly pane: IssuePane;
  /** Typed, in the query language for events; empty: all events. */
  readonly query: string;
  readonly range: IssueTimeRange | undefined;
  /** Histogram of all times, and the facets while there is no range; undefined until they are read. */
  readonly summary: LoadedSummary | undefined;
  /** Facets of the range; undefined without one, and until they are read. */
  readonly rangeSummary: LoadedSummary | undefined;
  /** Issues with the same fingerprint elsewhere; undefined until they are read. */
  readonly related: readonly IssueSummary[] | undefined;
  readonly list: PagedList<EventSummary>;
  /** The query that the rows were read with; undefined before the first answer. */
  readonly shownQuery: string | undefined;
  /** Events that the issue had when the beginning of the list was read last. */
  readonly shownCount: number | undefined;
  /** `gone`: the store does not have the issue any more. */
  readonly reading: 'loading' | 'loaded' | 'gone';
  /** Set while nothing new is let in: how many events the issue had then. */
  readonly paused: { readonly atCount: number } | undefined;
  /** In the other panes: the selected facet value or issue, or the first visible line. */
  readonly index: number;
}

/** An issue that was just opened. */
export function openIssue(key: number, issue: IssueSummary): IssueScreen {
  return {
    kind: 'issue',
    key,
    issue,
    detail: undefined,
    pane: 'events',
    query: '',
    range: undefined,
    summary: undefined,
    rangeSummary: undefined,
    related: undefined,
    list: EMPTY_LIST,
    shownQuery: undefined,
    shownCount: undefined,
    reading: 'loading',
    paused: undefined,
    index: 0,
  };
}
