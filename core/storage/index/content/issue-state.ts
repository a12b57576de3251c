import type { FingerprintValue, IssueId } from '../../../event/ids.js';
import { ownCopy } from '../../../event/json.js';
import { countUsers, NO_USERS, type UserSketch } from '../segments/user-sketch.js';

/** Issues whose states share a document. */
export const ISSUES_PER_SHARD = 512;

/** What the first event determines of an issue; it never changes. */
export interface IssueHeader {
  readonly issueId: IssueId;
  readonly fingerprint: FingerprintValue;
  readonly fingerprintVersion: number;
  readonly app: string;
  readonly service: string;
  readonly title: string;
  readonly culprit: string | null;
  readonly errorName: string;
  /** At most 512 UTF-16 units. */
  readonly message: string;
  /** Receipt of the first event; leads to its segment and raw line. */
  readonly firstReceivedAtMicros: number;
  /** Release of the first event; empty if it has none. */
  readonly firstRelease: string;
}

/** Events per hour: hour since the epoch, count, next hour, count, … ascending, without empty hours. */
export type HourCounts = number[];

/** One issue: what its first event determined, and what all its events changed. */
export class IssueState implements IssueHeader {
  readonly issueId: IssueId;
  readonly fingerprint: FingerprintValue;
  readonly fingerprintVersion: number;
  readonly app: string;
  readonly service: string;
  readonly title: string;
  readonly culprit: string | null;
  readonly errorName: string;
  readonly message: string;
  readonly firstReceivedAtMicros: number;
  readonly firstRelease: string;
  /** Zero-based index in the order of first arrival. */
  readonly ordinal: number;
  /** Occurrences: its events by weight, so those included that a processor sampled out. */
  count = 0;
  /** Those of `count` that a processor sampled out, so that they are not stored. */
  sampled = 0;
  /** Stored events that repeat an occurrence that another event counts, of this issue or of another one; not in `count`. */
  repeated = 0;
  /** Events that retention removed, counted as in `count` but not included in it. */
  removed = 0;
  /** Those of `removed` that were sampled out. */
  removedSampled = 0;
  /** Removed events that repeated an occurrence; not in `removed`. */
  removedRepeated = 0;
  /** Of the latest event by arrival, as is `type`. */
  level = '';
  type = '';
  /** Event time of the earliest event: milliseconds, and nanoseconds below them. */
  firstSeenMs = 0;
  firstSeenNanos = 0;
  lastSeenMs = 0;
  lastSeenNanos = 0;
  lastReceivedAtMicros = 0;
  /** Number of the newest segment with one of its events; -1 before the first. */
  lastSegment = -1;
  /** Sorted. */
  environments: readonly string[] = [];
  /** The most recently received, in order of first arrival. */
  releases: readonly string[] = [];
  /** Receipt of the latest event of each of `releases`, 0 if unknown. */
  releasesReceivedAtMicros: number[] = [];
  /** Receipt of the first event of each of `releases`, 0 if unknown. */
  releasesFirstReceivedAtMicros: number[] = [];
  hours: HourCounts = [];
  /** Users of removed events stay. */
  users: UserSketch = NO_USERS;

  /** Creates an issue without events. */
  constructor(header: IssueHeader, ordinal: number) {
    this.issueId = header.issueId;
    this.fingerprint = header.fingerprint;
    this.fingerprintVersion = header.fingerprintVersion;
    this.app = header.app;
    this.service = header.service;
    this.title = header.title;
    this.culprit = header.culprit;
    this.errorName = header.errorName;
    this.message = header.message;
    this.firstReceivedAtMicros = header.firstReceivedAtMicros;
    this.firstRelease = header.firstRelease;
    this.ordinal = ordinal;
  }
}

/**
 * The texts that many issues have in common: apps, services, environments, releases. Each is kept once, as a copy, because a text of an
 * event may be a slice that keeps the whole request in memory. It never shrinks.
 */
export class SharedTexts {
  readonly #texts = new Map<string, string>();

  /** Returns the kept copy of a text. */
  share(text: string): string {
    const shared = this.#texts.get(text);
    if (shared !== undefined) return shared;
    const copy = ownCopy(text);
    this.#texts.set(copy, copy);
    return copy;
  }
}

/** Events that are stored and can be read. */
export function storedEventsOf({
  count,
  sampled,
  repeated,
}: Pick<IssueState, 'count' | 'sampled' | 'repeated'>): number {
  return count - sampled + repeated;
}

/** Stored events that retention removed. */
function removedEventsOf({ removed, removedSampled, removedRepeated }: IssueState): number {
  return removed - removedSampled + removedRepeated;
}

/** Whether an event of the issue ever counted, so that it determines its times, level and names. */
export function hasCounted({ count, removed }: Pick<IssueState, 'count' | 'removed'>): boolean {
  return count > 0 || removed > 0;
}

/** Whether an event with this weight is one of those that determine times, level and names of its issue, and reopen it. */
export function isTelling(weight: number, issue: Pick<IssueState, 'count' | 'removed'>): boolean {
  return weight > 0 || !hasCounted(issue);
}

/** Whether the issue lost an event to retention. */
export function hasRemoved({ removed, removedRepeated }: Pick<IssueState, 'removed' | 'removedRepeated'>): boolean {
  return removed > 0 || removedRepeated > 0;
}

/** Whether the issue ever had an event. */
export function hasEvents(issue: IssueState): boolean {
  return issue.count > 0 || issue.repeated > 0 || hasRemoved(issue);
}

/** The release received last; null without one. */
export function lastReleaseOf(issue: Pick<IssueState, 'releases' | 'releasesReceivedAtMicros'>): string | null {
  const receipts = issue.releasesReceivedAtMicros;
  return issue.releases[receipts.lastIndexOf(Math.max(...receipts))] ?? null;
}

/** Number of users, at most that of the events ever stored: ids can be chosen to look like many. */
export function distinctUsers(issue: IssueState): number {
  return Math.min(countUsers(issue.users), storedEventsOf(issue) + removedEventsOf(issue));
}
