import type { EventId, FingerprintValue, IssueId } from './event/ids.js';
import type { NormalizedEvent } from './event/normalized-event.js';
import type { EventNote } from './event/note.js';
import type { RawPayload } from './event/raw-payload.js';
import type { RawAddress } from './event/stages.js';
import type { FingerprintBasis } from './fingerprint/fingerprint.js';

/** Lifecycle state of an issue, design section 4. */
export type IssueStatus = 'open' | 'resolved' | 'ignored';

/** Orders of the issue list; each is descending, ties broken by issue id. */
export const ISSUE_SORTS = ['last_seen', 'first_seen', 'count'] as const;
export type IssueSort = (typeof ISSUE_SORTS)[number];

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
  /** Events that can be read. */
  count: number;
  /** Events that retention removed. They stay in `first_seen`, `last_seen`, `environments` and `releases`. */
  removed_events: number;
  first_seen: string;
  last_seen: string;
  /** Environments in which it was seen, sorted; at most 32. */
  environments: string[];
  /** Releases in which it was seen, in order of first arrival; at most 32. Null releases are left out. */
  releases: string[];
  /** Events per hour of the last 24 hours by event time, oldest first; the last number is the running hour. */
  trend: number[];
}

/** One thing that people did to an issue, or that happened to it by their rule. */
export interface IssueHistoryEntry {
  /** Time of receipt or of the action, RFC 3339. */
  at: string;
  action: string;
  actor: string | null;
  /** Comment, assignee, release or whatever the action carries. */
  detail: string | null;
}

/** One issue in full. */
export interface IssueDetail extends IssueSummary {
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
  /** 1 to 500, default 50. */
  limit?: number;
  /** From the previous page; it belongs to that page's query and sort. */
  cursor?: string;
}

export interface EventListOptions {
  query?: string;
  /** 1 to 500, default 50. */
  limit?: number;
  cursor?: string;
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

/** Numbers about the store and the line before it. */
export interface Stats {
  events: number;
  issues: number;
  partitions: number;
  /** Bytes of all raw partitions. */
  raw_bytes: number;
  /** Events whose index entries are not yet on disk; a crash replays as many. */
  checkpoint_lag_events: number;
  removed: RemovedStats;
  dead_letters: DeadLetterStats;
  /** Absolute path of the data folder. */
  directory: string;
  /** By receiver id; empty where no collector is attached (a folder opened read-only). */
  receivers: Record<string, ReceiverLedger>;
}

/**
 * The one read interface: over a store in this process, over a folder read-only, or over HTTP.
 * All calls may run at the same time. Lists are stable under arrival: a cursor never repeats an event; a missing id answers undefined.
 * Faults: `QUERY_INVALID` (query text, names the column), `CURSOR_INVALID`, `READER_CLOSED`, and over HTTP `COLLECTOR_UNREACHABLE` (retryable)
 * and `COLLECTOR_ANSWER_INVALID`.
 */
export interface FailureReader {
  listIssues(options?: IssueListOptions): Promise<IssuePage>;
  getIssue(issueId: IssueId): Promise<IssueDetail | undefined>;
  /** Events of one issue, newest arrival first; undefined when there is no such issue. */
  listEvents(issueId: IssueId, options?: EventListOptions): Promise<EventPage | undefined>;
  getEvent(eventId: EventId): Promise<EventDetail | undefined>;
  stats(): Promise<Stats>;
  /** Safe to call twice. Does not close a store that the reader was given. */
  close(): Promise<void>;
}
