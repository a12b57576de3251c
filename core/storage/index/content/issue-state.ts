import type { FingerprintValue, IssueId } from '../../../event/ids.js';
import { ownCopy } from '../../../event/json.js';
import { NO_USERS, type StoredUsers, type UserSketch } from './user-sketch.js';

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

/** Without the texts that only readers need. */
type HeaderWithoutTexts = Omit<IssueHeader, 'title' | 'culprit' | 'message'>;

/** Events per hour: hour since the epoch, count, next hour, count, … ascending, without empty hours. */
export type HourCounts = number[];

/** One issue in memory. Flat fields, because there may be 100,000 issues. */
export interface IssueState extends IssueHeader {
  /** Zero-based index in the order of first arrival. */
  readonly ordinal: number;
  /** Occurrences: its events by weight, so those included that a processor sampled out. */
  count: number;
  /** `count` without the stored events: below 0 if more of these repeat an occurrence than were sampled out. */
  sampled: number;
  /** Events that retention removed, counted as in `count` but not included in it. */
  removed: number;
  /** `removed` without the events that were stored. */
  removedSampled: number;
  /** Of the latest event by arrival, as is `type`. */
  level: string;
  type: string;
  /** Event time of the earliest event: milliseconds, and nanoseconds below them. */
  firstSeenMs: number;
  firstSeenNanos: number;
  lastSeenMs: number;
  lastSeenNanos: number;
  lastReceivedAtMicros: number;
  /** Sorted. */
  environments: readonly string[];
  /** The most recently received, in order of first arrival. */
  releases: readonly string[];
  /** Receipt of the latest event of each of `releases`, 0 if unknown. */
  releasesReceivedAtMicros: number[];
  hours: HourCounts;
  /** Read it with `usersOf`. Users of removed events stay. */
  users: UserSketch | StoredUsers;
  /** Number of the newest segment with one of its events; -1 before the first. */
  lastSegment: number;
}

const NO_NAMES: readonly string[] = Object.freeze([]);
/** Shared; replaced, never changed. */
const NO_RECEIPTS: number[] = [];
/** Shared; replaced, never changed. */
const NO_HOURS: HourCounts = [];

/** Creates an issue without events. */
export function createIssueState(header: IssueHeader, ordinal: number): IssueState {
  return new LiveIssue(header, ordinal, new OwnTexts(header), 0);
}

/** Creates an issue without events whose texts are at `index` of a document. */
export function createStoredState(
  header: HeaderWithoutTexts,
  ordinal: number,
  texts: IssueTexts,
  index: number,
): IssueState {
  return new LiveIssue(header, ordinal, texts, index);
}

/** The only class of issues, so that they share one shape in memory. */
class LiveIssue implements IssueState {
  readonly issueId: IssueId;
  readonly fingerprint: FingerprintValue;
  readonly fingerprintVersion: number;
  readonly app: string;
  readonly service: string;
  readonly errorName: string;
  readonly firstReceivedAtMicros: number;
  readonly ordinal: number;
  count = 0;
  sampled = 0;
  removed = 0;
  removedSampled = 0;
  level = '';
  type = '';
  // V8 stores 0 as a small integer and converts every issue when such a field gets a large number: -0 is a double.
  firstSeenMs = -0;
  firstSeenNanos = 0;
  lastSeenMs = -0;
  lastSeenNanos = 0;
  lastReceivedAtMicros = -0;
  environments: readonly string[] = NO_NAMES;
  releases: readonly string[] = NO_NAMES;
  releasesReceivedAtMicros: number[] = NO_RECEIPTS;
  hours: HourCounts = NO_HOURS;
  users: UserSketch | StoredUsers = NO_USERS;
  lastSegment = -1;
  readonly #texts: IssueTexts;
  readonly #index: number;

  constructor(header: HeaderWithoutTexts, ordinal: number, texts: IssueTexts, index: number) {
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
    return this.#texts.titleAt(this.#index);
  }

  get culprit(): string | null {
    return this.#texts.culpritAt(this.#index);
  }

  get message(): string {
    return this.#texts.messageAt(this.#index);
  }
}

/** Events that are stored and can be read. */
export function storedEventsOf({ count, sampled }: Pick<IssueState, 'count' | 'sampled'>): number {
  return count - sampled;
}

/** Texts of issues that share a document, by index in it. */
export interface IssueTexts {
  titleAt(index: number): string;
  culpritAt(index: number): string | null;
  messageAt(index: number): string;
}

/** The texts of one issue, at any index. */
class OwnTexts implements IssueTexts {
  readonly #title: string;
  readonly #culprit: string | null;
  readonly #message: string;

  constructor(texts: Pick<IssueHeader, 'title' | 'culprit' | 'message'>) {
    this.#title = texts.title;
    this.#culprit = texts.culprit;
    this.#message = texts.message;
  }

  titleAt(): string {
    return this.#title;
  }

  culpritAt(): string | null {
    return this.#culprit;
  }

  messageAt(): string {
    return this.#message;
  }
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
