import type { FingerprintValue, IssueId } from '../../../event/ids.js';
import { ownCopy } from '../../../event/json.js';
import { countUsers, NO_USERS, StoredUsers, type UserSketch } from './user-sketch.js';

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
}

/** The texts of an issue, which only readers need. */
export type IssueTexts = Pick<IssueHeader, 'title' | 'culprit' | 'message'>;

/** Events per hour: hour since the epoch, count, next hour, count, … ascending, without empty hours. */
export type HourCounts = number[];

const NO_NAMES: readonly string[] = Object.freeze([]);
/** Shared; replaced, never changed. */
const NO_RECEIPTS: number[] = [];
/** Shared; replaced, never changed. */
const NO_HOURS: HourCounts = [];

/** The only class of issues, so that they share one shape in memory. Flat fields, because there may be 100,000 issues. */
class LiveIssue implements IssueHeader {
  readonly issueId: IssueId;
  readonly fingerprint: FingerprintValue;
  readonly fingerprintVersion: number;
  readonly app: string;
  readonly service: string;
  readonly errorName: string;
  readonly firstReceivedAtMicros: number;
  /** Zero-based index in the order of first arrival. */
  readonly ordinal: number;
  /** Occurrences: its events by weight, so those included that a processor sampled out. */
  count = 0;
  /** `count` without the stored events: below 0 if more of these repeat an occurrence than were sampled out. */
  sampled = 0;
  /** Events that retention removed, counted as in `count` but not included in it. */
  removed = 0;
  /** `removed` without the events that were stored. */
  removedSampled = 0;
  /** Of the latest event by arrival, as is `type`. */
  level = '';
  type = '';
  /** Event time of the earliest event: milliseconds, and nanoseconds below them. */
  // V8 stores 0 as a small integer and converts every issue when such a field gets a large number: -0 is a double.
  firstSeenMs = -0;
  firstSeenNanos = 0;
  lastSeenMs = -0;
  lastSeenNanos = 0;
  lastReceivedAtMicros = -0;
  /** Sorted. */
  environments: readonly string[] = NO_NAMES;
  /** The most recently received, in order of first arrival. */
  releases: readonly string[] = NO_NAMES;
  /** Receipt of the latest event of each of `releases`, 0 if unknown. */
  releasesReceivedAtMicros: number[] = NO_RECEIPTS;
  hours: HourCounts = NO_HOURS;
  /** Read it with `usersOf`. Users of removed events stay. */
  users: UserSketch | StoredUsers = NO_USERS;
  /** Number of the newest segment with one of its events; -1 before the first. */
  lastSegment = -1;
  readonly #texts: IssueTexts | ((index: number) => IssueTexts);
  readonly #index: number;

  constructor(
    header: Omit<IssueHeader, keyof IssueTexts>,
    ordinal: number,
    texts: IssueTexts | ((index: number) => IssueTexts),
    index: number,
  ) {
    this.issueId = header.issueId;
    this.fingerprint = header.fingerprint;
    this.fingerprintVersion = header.fingerprintVersion;
    this.app = header.app;
    this.service = header.service;
    this.errorName = header.errorName;
    this.firstReceivedAtMicros = header.firstReceivedAtMicros;
    this.ordinal = ordinal;
    this.#texts = texts;
    this.#index = index;
  }

  get title(): string {
    return this.#readTexts().title;
  }

  get culprit(): string | null {
    return this.#readTexts().culprit;
  }

  get message(): string {
    return this.#readTexts().message;
  }

  #readTexts(): IssueTexts {
    return typeof this.#texts === 'function' ? this.#texts(this.#index) : this.#texts;
  }
}

/** One issue in memory. */
export type IssueState = { [Key in keyof LiveIssue]: LiveIssue[Key] };

/** Creates an issue without events. */
export function createIssueState(header: IssueHeader, ordinal: number): IssueState {
  const { title, culprit, message } = header;
  return new LiveIssue(header, ordinal, { title, culprit, message }, 0);
}

/** Creates an issue without events whose texts are at `index` of a document. */
export function createStoredState(
  header: Omit<IssueHeader, keyof IssueTexts>,
  ordinal: number,
  texts: (index: number) => IssueTexts,
  index: number,
): IssueState {
  return new LiveIssue(header, ordinal, texts, index);
}

/** Events that are stored and can be read. */
export function storedEventsOf({ count, sampled }: Pick<IssueState, 'count' | 'sampled'>): number {
  return count - sampled;
}

/** The users of an issue; stored ones stay encoded until one is added. */
export function usersOf({ users, ordinal }: Pick<IssueState, 'users' | 'ordinal'>): UserSketch {
  return users instanceof StoredUsers ? users.of(ordinal) : users;
}

/** Number of users, at most that of the events ever stored: ids can be chosen to look like many. */
export function distinctUsers(issue: IssueState): number {
  const stored = storedEventsOf(issue) + issue.removed - issue.removedSampled;
  return Math.min(countUsers(usersOf(issue)), stored);
}

/** Interns texts that many issues share. It never shrinks. */
export class StringPool {
  readonly #shared = new Map<string, string>();

  /** The shared copy, if any: comparing it with itself is free. */
  kept(text: string): string | undefined {
    return this.#shared.get(text);
  }

  /** Returns the shared copy; adds the text if it is new. */
  share(text: string): string {
    const known = this.#shared.get(text);
    if (known !== undefined) return known;
    const copy = ownCopy(text);
    this.#shared.set(copy, copy);
    return copy;
  }
}
