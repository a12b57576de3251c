import type { FingerprintValue, IssueId } from '../../../event/ids.js';
import { ownCopy } from '../../../event/json.js';
import { NO_USERS, type StoredUsers, type UserSketch } from './user-sketch.js';

/** Issues whose changing parts share a document. */
export const ISSUES_PER_SHARD = 512;

/** What is known of an issue from its first event and never changes. */
export interface IssueCard {
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
  /** Receipt of the first event, which leads to its segment and so to its raw line. */
  readonly firstReceivedAtMicros: number;
}

/** A card without the texts that only readers ask for. */
export type CardHead = Omit<IssueCard, 'title' | 'culprit' | 'message'>;

/** Events by hour: hour since the epoch, count, next hour, count, … in ascending order; hours without events are left out. */
export type HourCounts = number[];

/** One issue in memory. Numbers stand in plain fields, because there may be 100,000 of these. */
export interface IssueState extends IssueCard {
  /** Zero-based place in the order of first arrival. */
  readonly ordinal: number;
  /** Events that it stands for: those that are stored, and those for which these stand besides. */
  count: number;
  /** How many of `count` were not stored; 0 unless a processor samples. */
  sampled: number;
  /** Events that retention removed, counted as in `count`, in which they are not. */
  removed: number;
  /** How many of `removed` were not stored. */
  removedSampled: number;
  /** Of the latest event by arrival. */
  level: string;
  /** Of the latest event by arrival. */
  type: string;
  /** Event time of the earliest event, milliseconds and nanoseconds after them. */
  firstSeenMs: number;
  firstSeenNanos: number;
  /** Event time of the latest event. */
  lastSeenMs: number;
  lastSeenNanos: number;
  lastReceivedAtMicros: number;
  /** Sorted. */
  environments: readonly string[];
  /** Those of the latest receipts, in order of first arrival. */
  releases: readonly string[];
  /** Receipt of the latest event of each of `releases`, 0 where it is not known. */
  releasesReceivedAtMicros: number[];
  hours: HourCounts;
  /** `usersOf` tells them. Users of events that retention removed stay. */
  users: UserSketch | StoredUsers;
  /** Number of the newest event segment that holds one of its events, -1 before the first. */
  lastSegment: number;
}

const NO_NAMES: readonly string[] = Object.freeze([]);
/** A first release makes a new list of it. */
const NO_RECEIPTS: number[] = [];
/** Counting makes a new list of an empty one. */
const NO_HOURS: HourCounts = [];

/** A new issue, without events. */
export function createIssueState(card: IssueCard, ordinal: number): IssueState {
  return new LiveIssue(card, ordinal, new OwnTexts(card), 0);
}

/** An issue whose texts were stored, at that place among the texts; without events. */
export function createStoredState(head: CardHead, ordinal: number, texts: IssueTexts, place: number): IssueState {
  return new LiveIssue(head, ordinal, texts, place);
}

/** All issues are made here, so that they have one shape in memory. */
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
  // V8 holds 0 as a small integer, and converts every issue by itself when such a field gets a large number: that was a third of a load.
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
  readonly #place: number;

  constructor(head: CardHead, ordinal: number, texts: IssueTexts, place: number) {
    this.issueId = head.issueId;
    this.fingerprint = head.fingerprint;
    this.fingerprintVersion = head.fingerprintVersion;
    this.app = head.app;
    this.service = head.service;
    this.errorName = head.errorName;
    this.firstReceivedAtMicros = head.firstReceivedAtMicros;
    this.ordinal = ordinal;
    this.#texts = texts;
    this.#place = place;
  }

  get title(): string {
    return this.#texts.titleAt(this.#place);
  }

  get culprit(): string | null {
    return this.#texts.culpritAt(this.#place);
  }

  get message(): string {
    return this.#texts.messageAt(this.#place);
  }
}

/** How many of its events are stored and can be read. */
export function storedEventsOf({ count, sampled }: Pick<IssueState, 'count' | 'sampled'>): number {
  return count - sampled;
}

/** The texts of issues that share a document, which only readers ask for. By place of an issue in the document. */
export interface IssueTexts {
  titleAt(place: number): string;
  culpritAt(place: number): string | null;
  messageAt(place: number): string;
}

/** The texts of one issue, at any place. */
class OwnTexts implements IssueTexts {
  readonly #title: string;
  readonly #culprit: string | null;
  readonly #message: string;

  constructor(texts: { readonly title: string; readonly culprit: string | null; readonly message: string }) {
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

/** Keeps one copy of each text that many issues share. It grows with what the issues keep and never shrinks. */
export class StringPool {
  readonly #kept = new Map<string, string>();

  /** The kept copy of a text, if there is one: comparing it with itself costs nothing. */
  kept(text: string): string | undefined {
    return this.#kept.get(text);
  }

  /** The kept copy of a text. */
  share(text: string): string {
    const known = this.#kept.get(text);
    if (known !== undefined) return known;
    const copy = ownCopy(text);
    this.#kept.set(copy, copy);
    return copy;
  }
}
