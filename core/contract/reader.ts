import type {
  Access,
  ActionRequest,
  EventDetail,
  EventPage,
  EventSearchPage,
  EventsSummary,
  GroupingComparison,
  IssueCounts,
  IssueDetail,
  IssuePage,
  IssueSummary,
  Stats,
} from '../../generated/reader-answers.js';
import type { EventId, IssueId } from '../event/ids.js';

/**
 * Orders of the issue list. Times and numbers descend: `trend` is the number of events of the last 24 hours. `level` begins with the most severe, `status` goes from regressed over
 * new, open and ignored to resolved. Texts ascend by their first 256 UTF-16 units in lower case, empty ones last: `environment` is the first one, `release` the latest one. Ties are
 * broken by last seen, descending, then by issue id.
 */
export const ISSUE_SORTS = [
  'last_seen',
  'first_seen',
  'count',
  'users',
  'trend',
  'level',
  'status',
  'title',
  'service',
  'environment',
  'release',
] as const;
export type IssueSort = (typeof ISSUE_SORTS)[number];

/** What stands together in a list of issues, before the sort: those of one app and service. */
export const ISSUE_GROUPINGS = ['service'] as const;
export type IssueGrouping = (typeof ISSUE_GROUPINGS)[number];

/**
 * Changes the life of issues. Faults: `ISSUE_NOT_FOUND`, `ACTION_INVALID` (names the member), `SNOOZE_INVALID`, `ACTION_NOT_FOUND` (of `undo`), `ISSUES_NOT_MERGED` (of `split`),
 * and what appending to the log may say (`STORE_CLOSING`, `STORE_UNAVAILABLE`).
 */
export interface FailureActions {
  /** Durable when it answers; the issue as it is then. */
  act(issueId: IssueId, request: ActionRequest): Promise<IssueDetail>;
}

export interface IssueListOptions {
  /** Query text (core/query); absent or blank matches everything. */
  query?: string;
  /** Default `last_seen`. */
  sort?: IssueSort;
  /** `service`: by app, then service, then `sort`. Default: by `sort` alone. */
  group?: IssueGrouping;
  /** 1 to 500, default 50. */
  limit?: number;
  /** From the previous page; it belongs to that page's query, sort and group. */
  cursor?: string;
}

export interface IssueCountOptions {
  /** As that of a list. */
  query?: string;
}

export interface EventSummaryOptions {
  /** As that of a list of events. */
  query?: string;
  /** Only events at this instant or later, RFC 3339. Default: the first one of the issue. */
  from?: string;
  /** Only events before this instant, RFC 3339. Default: after the last one of the issue. */
  to?: string;
  /** Parts of the histogram, 1 to 240, default 60. */
  buckets?: number;
}

export interface EventListOptions {
  query?: string;
  /** 1 to 500, default 50. */
  limit?: number;
  cursor?: string;
}

/** What happened to an issue: its first event came, it came back after it had been resolved, or events or an action changed it otherwise. */
export const CHANGE_KINDS = ['new', 'changed', 'regressed'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** One issue that changed, as it is now; a merged one as its group. */
export interface IssueChange {
  kind: ChangeKind;
  issue: IssueSummary;
  /** Opaque; `after` it come the changes that were not told yet. */
  cursor: string;
}

/** Where the telling of changes stands: `caught_up` when all were told, `reset` when those before it cannot be told any more and lists are to be read anew. */
export interface ChangePosition {
  kind: 'caught_up' | 'reset';
  cursor: string;
}

export interface ChangeOptions {
  /** Only issues that match when they are told, in the query language; absent or blank matches everything. */
  query?: string;
  /** A cursor of before, also from another process over the same folder; absent: from now on. */
  after?: string;
  /** Ends the telling, also while it waits. */
  signal?: AbortSignal;
}

/**
 * Tells which issues changed, each with its latest state: what changes many times between two looks is told once, so that a slow listener misses nothing and
 * nobody has to keep anything for it. Ends when `signal` is aborted or the store closes. What only the clock changes (a snooze that ends, an issue that is new no
 * more) and what retention takes out of counts is not told. The first step throws `QUERY_INVALID` and `CURSOR_INVALID`.
 */
export interface FailureChanges {
  changes(options?: ChangeOptions): AsyncIterable<IssueChange | ChangePosition>;
}

/**
 * The one read interface: over a store in this process, over a folder read-only, or over HTTP.
 * All calls may run at the same time. Lists are stable under arrival: a cursor never repeats an event; a missing id answers undefined.
 * Faults: `QUERY_INVALID` (query text, names the column), `CURSOR_INVALID`, `READER_CLOSED`, and over HTTP `COLLECTOR_UNREACHABLE` (retryable)
 * and `COLLECTOR_ANSWER_INVALID`.
 */
export interface FailureReader {
  listIssues(options?: IssueListOptions): Promise<IssuePage>;
  /** How many issues a list by that query has, by their state. */
  countIssues(options?: IssueCountOptions): Promise<IssueCounts>;
  getIssue(issueId: IssueId): Promise<IssueDetail | undefined>;
  /** Events of one issue, newest arrival first; undefined when there is no such issue. */
  listEvents(issueId: IssueId, options?: EventListOptions): Promise<EventPage | undefined>;
  /**
   * When the events of one issue happened and what their fields hold; undefined when there is no such issue. Looks at the newest events until 5,000 match, or for about 150 ms.
   * Fault `PARAMETER_INVALID` for a time that is none, and for a range in which nothing can lie.
   */
  summarizeEvents(issueId: IssueId, options?: EventSummaryOptions): Promise<EventsSummary | undefined>;
  /** Events of all issues, newest arrival first; events that arrive meanwhile are on no later page. `query` is for events. */
  searchEvents(options?: EventListOptions): Promise<EventSearchPage>;
  getEvent(eventId: EventId): Promise<EventDetail | undefined>;
  /**
   * Why two events are one issue or two, and what rule would change that. Each id is that of an event or of an issue, which stands for its first event, or its latest
   * where that is gone. Faults (`ExplainFault`, which names the side): `PARAMETER_INVALID` for what is no id, `EXPLAIN_NOT_FOUND` for one that nothing has.
   */
  explain(a: string, b: string): Promise<GroupingComparison>;
  stats(): Promise<Stats>;
  access(): Promise<Access>;
  /** Safe to call twice. Does not close a store that the reader was given. */
  close(): Promise<void>;
}
