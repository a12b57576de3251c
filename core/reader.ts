import type { EventId, FingerprintValue, IssueId } from './event/ids.js';
import type { NormalizedEvent } from './event/normalized-event.js';
import type { EventNote } from './event/note.js';
import type { RawPayload } from './event/raw-payload.js';
import type { RawAddress } from './event/stages.js';
import type { GroupingComparison } from './explain/grouping-comparison.js';
import type { FingerprintBasis } from './fingerprint/fingerprint.js';

/** Lifecycle state of an issue, design section 4. */
export type IssueStatus = 'open' | 'resolved' | 'ignored';

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

/** One row of the issue list, as served over HTTP and shown in the terminal. Times are event times in the form of `NormalizedEvent.timestamp`. */
export interface IssueSummary {
  issue_id: IssueId;
  fingerprint: FingerprintValue;
  app: string;
  service: string;
  /** What a person reads in a list: error name and parameterized message, from the issue's first event. */
  title: string;
  /** Function and file of the frame that decided the grouping; null when no frame did. */
  culprit: string | null;
  /** Of the first event, like `message`, which is cut to 512 UTF-16 units. */
  error_name: string;
  message: string;
  /** Of the latest event by arrival. */
  level: string;
  /** Of the latest event by arrival. */
  type: string;
  status: IssueStatus;
  /** True on an open issue that came back after it had been resolved. */
  regressed: boolean;
  /** True on an open issue whose first event was received within the last 24 hours. */
  is_new: boolean;
  /** True where the last hour brought more events than its own past explains (core/issues, spiking). */
  spiking: boolean;
  /** Who takes care of it; null when nobody was named. */
  assignee: string | null;
  /** What ends an `ignored` state, in the snooze grammar (`until:2026-12-24T10:00:00Z`, `100x`, `100x/1h`); null when nothing does or it is not ignored. */
  snooze: string | null;
  /** The release that a resolution waits for: its name, or `next`; null when it was resolved at once or is not resolved. */
  resolved_in: string | null;
  /** Ids of the issues that were merged into this one, in order of their merging; their events are counted and listed here. */
  merged: IssueId[];
  /** Its events but the removed ones: those that are stored and can be read, and those for which these stand because a processor sampled. */
  count: number;
  /** How many of `count` were received and not stored; 0 unless a processor samples. */
  sampled: number;
  /** Events that retention removed, counted as in `count`. They stay in `first_seen`, `last_seen`, `environments` and `releases`. */
  removed_events: number;
  /**
   * Distinct `user_id`s of its events, removed ones included; events without one do not count. Exact below 128, beyond it an estimate with a standard error
   * of 8.9 %.
   */
  users: number;
  first_seen: string;
  last_seen: string;
  /** Environments in which it was seen, sorted; at most 32. */
  environments: string[];
  /** The 32 releases that were seen latest, in order of first arrival. Null releases are left out. */
  releases: string[];
  /** Events per hour of the last 24 hours by event time, counted as in `count`, oldest first; the last number is the running hour. */
  trend: number[];
}

/** One thing that people did to an issue, or that happened to it by their rule. */
export interface IssueHistoryEntry {
  /** Id of the action, which `undo` names. */
  id: string;
  /** The issue that it was taken on: another one where issues were merged or regrouped. */
  issue_id: IssueId;
  /** Time of receipt or of the action, RFC 3339. */
  at: string;
  action: string;
  actor: string | null;
  /** Comment, assignee, release or whatever the action carries. */
  detail: string | null;
  /** Why, in the words of whoever did it. */
  reason: string | null;
  /** True where a later `undo` took it out. */
  undone: boolean;
}

/** What can be done to an issue, design section 4. */
export const ACTION_NAMES = ['resolve', 'reopen', 'ignore', 'assign', 'comment', 'merge', 'split', 'undo'] as const;
export type ActionName = (typeof ACTION_NAMES)[number];

/** What somebody wants done to an issue; each action takes only the members that are named for it. */
export interface ActionRequest {
  action: ActionName;
  /** Who does it, at most 200 characters; null or absent when nobody signs. */
  actor?: string | null;
  /** Why, at most 2,000 characters. */
  reason?: string | null;
  /** `resolve`: only an event of a later release than those seen brings it back. */
  in_next_release?: boolean;
  /** `resolve`: only an event of this release or a later one brings it back. */
  in_release?: string;
  /** `ignore`: `7d`, `100x`, `100x/1h`, `until:2026-12-24`; absent: for ever. */
  snooze?: string;
  /** `assign`: null takes the assignment away. */
  assignee?: string | null;
  /** `comment`: at most 16,384 characters. */
  text?: string;
  /** `merge`: what is merged into this issue; `split`: which of its merged ones become issues of their own again. 1 to 500; of `split` absent: all, or what `fingerprints` names. */
  issues?: IssueId[];
  /** `split`: the same by their fingerprints. */
  fingerprints?: FingerprintValue[];
  /** `undo`: id of the action; absent: the latest one of this issue that stands and is no `undo`. */
  undoes?: string;
}

/**
 * Changes the life of issues. Faults: `ISSUE_NOT_FOUND`, `ACTION_INVALID` (names the member), `SNOOZE_INVALID`, `ACTION_NOT_FOUND` (of `undo`), `ISSUES_NOT_MERGED` (of `split`),
 * and what appending to the log may say (`STORE_CLOSING`, `STORE_UNAVAILABLE`).
 */
export interface FailureActions {
  /** Durable when it answers; the issue as it is then. */
  act(issueId: IssueId, request: ActionRequest): Promise<IssueDetail>;
}

/** One issue in full. */
export interface IssueDetail extends IssueSummary {
  /** Of all its members, the one that stays first. */
  fingerprints: FingerprintValue[];
  fingerprint_version: number;
  /** Why its events are one issue: of its first event. */
  basis: FingerprintBasis;
  history: IssueHistoryEntry[];
  /** Ids of issues with the same fingerprint in other services, at most 32. */
  related: IssueId[];
}

/** One row in the list of an issue's events. */
export interface EventSummary {
  event_id: EventId;
  issue_id: IssueId;
  timestamp: string;
  level: string;
  type: string;
  app: string;
  service: string;
  env: string;
  error_name: string;
  /** Cut to 512 UTF-16 units. */
  message: string;
  route: string;
  method: string | null;
  status_code: number | null;
  release: string | null;
  user_id: string | null;
  request_id: string | null;
}

/** One event in full, in both forms. */
export interface EventDetail {
  event_id: EventId;
  issue_id: IssueId;
  raw: RawAddress & { payload: RawPayload };
  normalized: NormalizedEvent;
  /** What was cut or guessed; empty when nothing was. */
  notes: EventNote[];
}

/** A page of a list. `next_cursor` is opaque and null on the last page. */
export interface IssuePage {
  issues: IssueSummary[];
  next_cursor: string | null;
  /** Issues that match the query, over all pages. */
  total: number;
}

export interface EventPage {
  events: EventSummary[];
  next_cursor: string | null;
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

/** Issues that match a query, by state: each counts under every name that fits, so `new` and `regressed` ones are `open` too. */
export interface IssueCounts {
  all: number;
  open: number;
  new: number;
  regressed: number;
  ignored: number;
  resolved: number;
  spiking: number;
}

export interface IssueCountOptions {
  /** As that of a list. */
  query?: string;
}

/** Events over time, in parts of the same length from `from` up to, and without, `to`. Those that were not stored count beside the one that stands for them. */
export interface EventHistogram {
  from: string;
  to: string;
  counts: number[];
  /** Whether all events of the issue that match are in it; otherwise the newest that could be looked at in time. */
  is_complete: boolean;
}

/** How often a value was among the events that a summary looked at. Stored ones alone: nothing is known of the fields of others. */
export interface FacetValue {
  value: string;
  count: number;
}

/** The values of one field among the events that match. `values`, `others` and `without` together are those events. */
export interface Facet {
  /** As a query writes it: `env release service level status_code route user_id`, then `tags.<key>`. */
  field: string;
  /** The 10 most frequent, descending. Values of more than 1,024 UTF-16 units are not among them. */
  values: FacetValue[];
  /** Events with another value. */
  others: number;
  /** Events that have none. */
  without: number;
}

/** What the newest events of an issue, or of a group of merged ones, have in common. */
export interface EventsSummary {
  histogram: EventHistogram;
  /** Seven fields that all events have, always all of them, and the 16 most frequent tags. */
  facets: Facet[];
  /** Events that were examined for the facets, newest first, also those that do not match. */
  looked_at: number;
  /** Those of them that match the query and lie between `from` and `to`. */
  matched: number;
  /** Events of the issue that are stored. */
  total: number;
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

/** What whoever asks may do. */
export interface Access {
  /** Whether issues may be acted on. */
  actions: boolean;
}

export interface EventListOptions {
  query?: string;
  /** 1 to 500, default 50. */
  limit?: number;
  cursor?: string;
}

/** Events and the bytes of their raw lines, newlines included. */
export interface ScanExtent {
  events: number;
  bytes: number;
}

/** A page of a search through all events, which ends when it is full, and after a fifth of a second full or not. */
export interface EventSearchPage {
  /** Newest arrival first. */
  events: EventSummary[];
  /** Goes on after the last event that was looked at; null when all were. */
  next_cursor: string | null;
  /**
   * What this page and those before it looked at, or could pass over. Where the query leaves one named issue or group, or few issues with few events, only the events of those are
   * looked at, and it counts those alone; the last page counts everything.
   */
  scanned: ScanExtent;
  /** What there was to look at when the first page was asked for. */
  total: ScanExtent;
  /** Whether everything was looked at; otherwise older events may match, also where this page holds none. */
  is_complete: boolean;
}

/** What was received and what became of it, per receiver: `received = stored + rejected + filtered + sampled + refused` (promise 5). */
export interface ReceiverLedger {
  received: number;
  stored: number;
  rejected: number;
  filtered: number;
  sampled: number;
  refused: number;
  /** Counts by reason code, for everything that was not stored. */
  reasons: Record<string, number>;
  /** Fields that were cut to a limit in stored events, by limit name. */
  cuts: Record<string, number>;
  /** Events that senders say they lost before they came here, by their reason; no part of `received`. */
  lost_by_clients: Record<string, number>;
}

/** What retention removed over the life of the data folder. */
export interface RemovedStats {
  /** Stored ones. */
  events: number;
  partitions: number;
  /** Bytes of the raw files that are gone. */
  raw_bytes: number;
  /** Everything received before this instant is gone, RFC 3339; null when nothing was removed. */
  before: string | null;
}

/** Rejected payloads that are kept, design section 3. */
export interface DeadLetterStats {
  records: number;
  bytes: number;
  /** Rejections of this process that could not be kept: over the bounds, or the disk refused. */
  lost: number;
}

/** How a folder groups. */
export interface GroupingStats {
  /** Of the built-in rules, for new events. */
  version: number;
  /** That this program knows. */
  newest_version: number;
  /** Names version and user's rules together: 16 hexadecimal characters. */
  key: string;
  /** False where a regrouping by the newest version and the rules of today may change something. */
  is_current: boolean;
}

/** What an exporter that sends has done since the start of the process, and how far it is. Where it says events, those of a webhook are alerts. */
export interface ExporterStats {
  /** Where it sends, for people. */
  destination: string;
  /** Events that it has not sent yet. */
  waiting: number;
  /** Milliseconds since the oldest of them was received; 0 where none waits. */
  oldest_age_ms: number;
  /** Events that were taken by whom it sends to. */
  sent: number;
  /** Events that it will not send: refused, given up, unreadable, or removed by retention before their turn. */
  lost: number;
  /** Whether retention keeps events for it that it would remove otherwise. */
  retention_held: boolean;
  /** Whether it does not get on now: `last_error` says why. */
  failing: boolean;
  /** What went wrong last, and when, RFC 3339; null where nothing did. It stays when all is well again. */
  last_error: { message: string; at: string } | null;
}

/** Numbers about the store and the line before it. */
export interface Stats {
  /** Stored ones, as in every list of events. */
  events: number;
  /** Events of its issues that were received and not stored, as their `sampled`; 0 unless a processor samples. Absent: the collector is older than this number. */
  sampled?: number;
  issues: number;
  partitions: number;
  /** Bytes of all raw partitions. */
  raw_bytes: number;
  /** Events whose index entries are not yet on disk; a crash replays as many. */
  checkpoint_lag_events: number;
  removed: RemovedStats;
  dead_letters: DeadLetterStats;
  grouping: GroupingStats;
  /** Absolute path of the data folder. */
  directory: string;
  /** By receiver id; empty where no collector is attached (a folder opened read-only). */
  receivers: Record<string, ReceiverLedger>;
  /** By receiver id: the URL at which it takes what is sent, with its real port. Empty where no collector is attached; receivers that listen nowhere are left out. */
  endpoints: Record<string, string>;
  /** By exporter id: those that send what is stored. Empty where none does; absent where no collector is attached. */
  exporters?: Record<string, ExporterStats>;
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
