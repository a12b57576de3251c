import type {
  Access,
  ActionRequest,
  EventDetail,
  EventPage,
  EventSearchPage,
  EventsSummary,
  FieldValues,
  GroupingComparison,
  IssueCounts,
  IssueDetail,
  IssuePage,
  IssueSummary,
  IssuesSince,
  RejectedPage,
  ReleaseCommit,
  ReleaseDeploy,
  ReleaseDetail,
  ReleaseSummary,
  Releases,
  Stats,
  Suggestions,
} from '../../generated/reader-answers.js';
import type { EventId, IssueId } from '../event/ids.js';

/**
 * Orders of the issue list. Numbers and `first_seen` descend (`trend`: events of the last 24 hours), `level` starts with the most severe, `status` runs regressed, spiking, new,
 * open, ignored, resolved, each by level. Ties: last seen descending, then issue id. `last_seen` descends in steps of a minute, hour, day or year, as ages are shown; within one,
 * regressed, spiking and new issues come first, then the more severe level, more events, the issue id.
 */
export const ISSUE_SORTS = ['last_seen', 'first_seen', 'status', 'level', 'count', 'trend', 'users'] as const;
export type IssueSort = (typeof ISSUE_SORTS)[number];

/**
 * Changes the state of issues. Faults: `ISSUE_NOT_FOUND`, `ACTION_INVALID` (names the member), `SNOOZE_INVALID`, `ACTION_NOT_FOUND` (of `undo`),
 * `ISSUES_NOT_MERGED` (of `split`), `STORE_CLOSING`, `STORE_UNAVAILABLE`.
 */
export interface FailureActions {
  /** Returns the changed issue once the action is durable. */
  act(issueId: IssueId, request: ActionRequest): Promise<IssueDetail>;
}

/** What people or tools say about a release; the first change that names it creates it. Members without a value keep what is known. */
export type ReleaseChange = { readonly release: string } & (
  | { readonly kind: 'create'; readonly url?: string | null }
  /** `releasedAt`: RFC 3339, default now; null takes it back. */
  | { readonly kind: 'finalize'; readonly releasedAt?: string | null; readonly url?: string | null }
  | { readonly kind: 'deploy'; readonly deploy: ReleaseDeploy }
  /** Replaces the commits, newest first, within `COMMIT_LIMITS`. */
  | { readonly kind: 'commits'; readonly commits: readonly ReleaseCommit[] }
);

/** Limits of the commits of a release: their number, and of each the paths and the UTF-16 units of a path and of other texts. */
export const COMMIT_LIMITS = { commits: 500, paths: 100, pathUnits: 300, textUnits: 200 } as const;

/** Records releases. Faults: `STORE_CLOSING`, `STORE_UNAVAILABLE`, `RECORD_MOVED`, all retryable. */
export interface FailureReleases {
  /** Returns the release once the change is durable. */
  recordRelease(change: ReleaseChange): Promise<ReleaseSummary>;
}

export interface IssueListOptions {
  /** Query text (core/query); missing or blank matches everything. */
  query?: string | undefined;
  /** Default `last_seen`. */
  sort?: IssueSort;
  /** 1 to 500, default 50. */
  limit?: number;
  /** From the previous page, for the same query and sort. */
  cursor?: string | undefined;
}

export interface IssueCountOptions extends Pick<IssueListOptions, 'query'> {
  /** The name whose open issues count as `mine`; upper and lower case are equal. */
  me?: string | undefined;
  /** Whether to count without each of the first terms too. */
  terms?: boolean;
}

export interface FieldValueOptions extends Pick<IssueListOptions, 'query' | 'limit'> {
  /** A text field of issues in the query language. */
  field: string;
  /** Beginning of the values; upper and lower case are equal. */
  prefix?: string;
}

/** Kinds of issues since an instant, of which each issue has the first that fits; see `IssuesSince`. */
export const SINCE_KINDS = ['new', 'came_back', 'more', 'quiet'] as const;
export type SinceKind = (typeof SINCE_KINDS)[number];

export interface IssuesSinceOptions extends Pick<IssueListOptions, 'limit'> {
  /** The instant, RFC 3339. */
  from: string;
  /** Start of the time that it is compared with, RFC 3339. */
  before: string;
  /** Default `new`. */
  kind?: SinceKind;
}

export interface EventSummaryOptions {
  query?: string | undefined;
  /** Only events at or after this instant, RFC 3339. Default: the first event of the issue. */
  from?: string;
  /** Only events before this instant, RFC 3339. Default: after the last event of the issue. */
  to?: string;
  /** 1 to 240, default 60. */
  buckets?: number;
}

export type EventListOptions = Omit<IssueListOptions, 'sort'>;

/** What happened to an issue: `new` is its first event, `regressed` an event after it was resolved, `changed` any other event or action. */
export const CHANGE_KINDS = ['new', 'changed', 'regressed'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The current state of an issue that changed; a merged issue is reported as its group. */
export interface IssueChange {
  kind: ChangeKind;
  issue: IssueSummary;
  /** Opaque; passed as `after`, it resumes behind this change. */
  cursor: string;
}

/** Position of the stream: `caught_up` after all known changes, `reset` when earlier changes are lost and you must reload lists. */
export interface ChangePosition {
  kind: 'caught_up' | 'reset';
  cursor: string;
}

export interface ChangeOptions {
  /** Only issues that match when they are reported; missing or blank matches everything. */
  query?: string;
  /** An earlier cursor, also one of another process over the same folder; missing: from now on. */
  after?: string;
  /** Ends the stream, also while it waits. */
  signal?: AbortSignal;
}

/** Streams changed issues with their latest state until `signal` aborts or the store closes; changes by the clock and by retention are not reported. */
export interface FailureChanges {
  changes(options?: ChangeOptions): AsyncIterable<IssueChange | ChangePosition>;
}

/**
 * The one read interface: over a store in this process, a read-only folder, or HTTP. Calls may run concurrently. A cursor never repeats an event while new ones arrive;
 * an unknown id returns undefined. Faults: `QUERY_INVALID` (names the column), `CURSOR_INVALID`, `READER_CLOSED`, over HTTP `COLLECTOR_UNREACHABLE` (retryable) and
 * `COLLECTOR_ANSWER_INVALID` and `COLLECTOR_ANSWER_TOO_LARGE`.
 */
export interface FailureReader {
  listIssues(options?: IssueListOptions): Promise<IssuePage>;
  /** Numbers of matching issues by state. */
  countIssues(options?: IssueCountOptions): Promise<IssueCounts>;
  /** Values of a field over all issues, counted among those that match the query. Fault `PARAMETER_INVALID` for another field. */
  listValues(options: FieldValueOptions): Promise<FieldValues>;
  /** Open issues that changed since an instant, the largest change of the rate first. */
  listIssuesSince(options: IssuesSinceOptions): Promise<IssuesSince>;
  /** Releases of events, sessions and release calls; the one first seen last first, and one without events by its creation. */
  listReleases(options?: Pick<IssueListOptions, 'limit'>): Promise<Releases>;
  getRelease(name: string): Promise<ReleaseDetail | undefined>;
  getIssue(issueId: IssueId): Promise<IssueDetail | undefined>;
  /** Events of one issue, latest receipt first; undefined if the issue does not exist. */
  listEvents(issueId: IssueId, options?: EventListOptions): Promise<EventPage | undefined>;
  /**
   * Histogram and field values of the newest events of one issue, up to 5,000 matches or about 150 ms; undefined if the issue does not exist.
   * Fault `PARAMETER_INVALID` for an invalid time or an empty range.
   */
  summarizeEvents(issueId: IssueId, options?: EventSummaryOptions): Promise<EventsSummary | undefined>;
  /** Events of all issues, latest receipt first; later pages never show events that arrived after the first page. */
  searchEvents(options?: EventListOptions): Promise<EventSearchPage>;
  getEvent(eventId: EventId): Promise<EventDetail | undefined>;
  /** Rejected payloads that are kept, latest first; `query` are words that receiver, code, field, reason or payload contain, in any case. */
  listRejected(options?: EventListOptions): Promise<RejectedPage>;
  /**
   * Explains why two events are one issue or two, and which rule would change that. An issue id stands for its first event, or its latest if that was removed.
   * Throws an `ExplainFault`: `PARAMETER_INVALID` if an id is malformed, `EXPLAIN_NOT_FOUND` if it is unknown.
   */
  explain(a: string, b: string): Promise<GroupingComparison>;
  /** Suggested and decided rules that make issues of a service one; default: of all services. */
  suggestions(options?: { service?: string }): Promise<Suggestions>;
  stats(): Promise<Stats>;
  access(): Promise<Access>;
  /** Safe to call twice. Does not close a store that was passed in. */
  close(): Promise<void>;
}
