import type { FingerprintValue, IssueId } from '../../../event/ids.js';
import { ownCopy } from '../../../event/json.js';
import { countUsers, NO_USERS, StoredUsers, type UserSketch } from '../segments/user-sketch.js';

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

/** The texts of an issue, which only readers need. */
export type IssueTexts = Pick<IssueHeader, 'title' | 'culprit' | 'message'>;

/** The texts of an issue, or a function that reads them by its ordinal. */
type StoredTexts = IssueTexts | ((ordinal: number) => IssueTexts);

/** Events per hour: hour since the epoch, count, next hour, count, … ascending, without empty hours. */
export type HourCounts = number[];

/** Fields that are numbers of any size. */
const WIDE = [
  ...(['count', 'sampled', 'repeated', 'removed', 'removedSampled', 'removedRepeated'] as const),
  ...(['firstSeenMs', 'lastSeenMs', 'firstReceivedAtMicros', 'lastReceivedAtMicros', 'fingerprintVersion'] as const),
];
/** An hour, its events, and the last and first receipt of a release: most issues have one of each. */
const [HOUR, RECEIPT, FIRST_RECEIPT, WIDE_FIELDS] = [WIDE.length, WIDE.length + 2, WIDE.length + 3, WIDE.length + 4];
/** Fields that are integers below 2^31. */
const SMALL = ['firstSeenNanos', 'lastSeenNanos', 'lastSegment'] as const;
/** Fields that are texts of the memory. */
const SHARED = ['app', 'service', 'errorName', 'level', 'type', 'firstRelease'] as const;
const SMALL_FIELDS = SMALL.length + SHARED.length;
const ID_LENGTH = 36;
const IDS_LENGTH = ID_LENGTH + 32;

const FIRST_ISSUES = 1024;

/**
 * What is known of all issues, in arrays by ordinal, and the texts that many of them share. Objects with these fields would take twice the
 * memory, which each major garbage collection would traverse.
 */
export class IssueMemory {
  wide = new Float64Array(FIRST_ISSUES * WIDE_FIELDS);
  small = new Int32Array(FIRST_ISSUES * SMALL_FIELDS);
  /** Ids and fingerprints. */
  ids: Buffer = Buffer.alloc(FIRST_ISSUES * IDS_LENGTH);
  /** It never shrinks. */
  readonly texts = [''];
  readonly #numbers = new Map([['', 0]]);

  /** Makes room for the issue with this ordinal. */
  reserve(ordinal: number): void {
    while (ordinal * IDS_LENGTH >= this.ids.length) {
      const { wide, small, ids } = this;
      this.wide = new Float64Array(2 * wide.length);
      this.wide.set(wide);
      this.small = new Int32Array(2 * small.length);
      this.small.set(small);
      this.ids = Buffer.concat([ids], 2 * ids.length);
    }
  }

  /** Returns the index of a text in `texts`; adds a copy if it is new. */
  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const copy = ownCopy(text);
    this.#numbers.set(copy, this.texts.length);
    return this.texts.push(copy) - 1;
  }

  /** Returns the shared copy of a text: comparing it with itself is free. */
  share(text: string): string {
    return this.texts[this.numberOf(text)] ?? text;
  }
}

const NO_NAMES: readonly string[] = Object.freeze([]);
/** Shared; replaced, never changed. */
const NO_NUMBERS: number[] = [];

/** One issue: a view of `IssueMemory`, and lists. */
class LiveIssue implements IssueHeader {
  /** Zero-based index in the order of first arrival. */
  readonly ordinal: number;
  declare readonly fingerprintVersion: number;
  declare readonly app: string;
  declare readonly service: string;
  declare readonly errorName: string;
  declare readonly firstReceivedAtMicros: number;
  declare readonly firstRelease: string;
  /** Occurrences: its events by weight, so those included that a processor sampled out. */
  declare count: number;
  /** Those of `count` that a processor sampled out, so that they are not stored. */
  declare sampled: number;
  /** Stored events that repeat an occurrence that another event counts, of this issue or of another one; not in `count`. */
  declare repeated: number;
  /** Events that retention removed, counted as in `count` but not included in it. */
  declare removed: number;
  /** Those of `removed` that were sampled out. */
  declare removedSampled: number;
  /** Removed events that repeated an occurrence; not in `removed`. */
  declare removedRepeated: number;
  /** Of the latest event by arrival, as is `type`. */
  declare level: string;
  declare type: string;
  /** Event time of the earliest event: milliseconds, and nanoseconds below them. */
  declare firstSeenMs: number;
  declare firstSeenNanos: number;
  declare lastSeenMs: number;
  declare lastSeenNanos: number;
  declare lastReceivedAtMicros: number;
  /** Number of the newest segment with one of its events; -1 before the first. */
  declare lastSegment: number;
  /** Sorted. */
  environments: readonly string[] = NO_NAMES;
  /** The most recently received, in order of first arrival. */
  releases: readonly string[] = NO_NAMES;
  /** Read it with `usersOf`. Users of removed events stay. */
  users: UserSketch | StoredUsers = NO_USERS;
  readonly #memory: IssueMemory;
  readonly #texts: StoredTexts;
  /** Undefined if the memory holds the only hour, or receipt. */
  #hours: HourCounts | undefined = NO_NUMBERS;
  #receipts: number[] | undefined = NO_NUMBERS;
  #firstReceipts: number[] | undefined = NO_NUMBERS;

  constructor(header: Omit<IssueHeader, keyof IssueTexts>, ordinal: number, memory: IssueMemory, texts: StoredTexts) {
    memory.reserve(ordinal);
    memory.ids.write(header.issueId + header.fingerprint, ordinal * IDS_LENGTH, 'latin1');
    this.ordinal = ordinal;
    this.#memory = memory;
    this.#texts = texts;
    this.fingerprintVersion = header.fingerprintVersion;
    this.app = header.app;
    this.service = header.service;
    this.errorName = header.errorName;
    this.firstReceivedAtMicros = header.firstReceivedAtMicros;
    this.firstRelease = header.firstRelease;
    this.lastSegment = -1;
  }

  get issueId(): IssueId {
    const start = this.ordinal * IDS_LENGTH;
    return this.#memory.ids.toString('latin1', start, start + ID_LENGTH) as IssueId;
  }

  get fingerprint(): FingerprintValue {
    const start = this.ordinal * IDS_LENGTH;
    return this.#memory.ids.toString('latin1', start + ID_LENGTH, start + IDS_LENGTH) as FingerprintValue;
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
    return typeof this.#texts === 'function' ? this.#texts(this.ordinal) : this.#texts;
  }

  /** Assign the list after changing it, as with `releasesReceivedAtMicros`: it may be a copy. */
  get hours(): HourCounts {
    const start = this.ordinal * WIDE_FIELDS + HOUR;
    const { wide } = this.#memory;
    return this.#hours ?? [wide[start] ?? 0, wide[start + 1] ?? 0];
  }

  set hours(hours: HourCounts) {
    this.#hours = hours.length === 2 ? undefined : hours;
    if (hours.length === 2) this.#memory.wide.set(hours, this.ordinal * WIDE_FIELDS + HOUR);
  }

  /** Receipt of the latest event of each of `releases`, 0 if unknown. */
  get releasesReceivedAtMicros(): number[] {
    return this.#receipts ?? [this.#memory.wide[this.ordinal * WIDE_FIELDS + RECEIPT] ?? 0];
  }

  set releasesReceivedAtMicros(receipts: number[]) {
    this.#receipts = receipts.length === 1 ? undefined : receipts;
    if (receipts.length === 1) this.#memory.wide.set(receipts, this.ordinal * WIDE_FIELDS + RECEIPT);
  }

  /** Receipt of the first event of each of `releases`, 0 if unknown. */
  get releasesFirstReceivedAtMicros(): number[] {
    return this.#firstReceipts ?? [this.#memory.wide[this.ordinal * WIDE_FIELDS + FIRST_RECEIPT] ?? 0];
  }

  set releasesFirstReceivedAtMicros(receipts: number[]) {
    this.#firstReceipts = receipts.length === 1 ? undefined : receipts;
    if (receipts.length === 1) this.#memory.wide.set(receipts, this.ordinal * WIDE_FIELDS + FIRST_RECEIPT);
  }

  static {
    for (const [field, name] of WIDE.entries()) {
      Object.defineProperty(LiveIssue.prototype, name, {
        get(this: LiveIssue) {
          return this.#memory.wide[this.ordinal * WIDE_FIELDS + field];
        },
        set(this: LiveIssue, value: number) {
          this.#memory.wide[this.ordinal * WIDE_FIELDS + field] = value;
        },
      });
    }
    for (const [field, name] of SMALL.entries()) {
      Object.defineProperty(LiveIssue.prototype, name, {
        get(this: LiveIssue) {
          return this.#memory.small[this.ordinal * SMALL_FIELDS + field];
        },
        set(this: LiveIssue, value: number) {
          this.#memory.small[this.ordinal * SMALL_FIELDS + field] = value;
        },
      });
    }
    for (const [index, name] of SHARED.entries()) {
      const field = SMALL.length + index;
      Object.defineProperty(LiveIssue.prototype, name, {
        get(this: LiveIssue) {
          return this.#memory.texts[this.#memory.small[this.ordinal * SMALL_FIELDS + field] ?? 0];
        },
        set(this: LiveIssue, text: string) {
          this.#memory.small[this.ordinal * SMALL_FIELDS + field] = this.#memory.numberOf(text);
        },
      });
    }
  }
}

/** One issue in memory. */
export type IssueState = { [Key in keyof LiveIssue]: LiveIssue[Key] };

const FIELDS: readonly (keyof IssueState)[] = [
  ...[...WIDE, ...SMALL, ...SHARED],
  ...(['ordinal', 'issueId', 'fingerprint', 'title', 'culprit', 'message', 'environments', 'releases'] as const),
  ...(['releasesReceivedAtMicros', 'releasesFirstReceivedAtMicros', 'hours', 'users'] as const),
];

/** Copies an issue to a plain object: a spread would copy none of its accessors. */
export function copyOf(issue: IssueState): IssueState {
  return Object.fromEntries(FIELDS.map((field) => [field, issue[field]])) as unknown as IssueState;
}

/** Creates an issue without events. */
export function createIssueState(header: IssueHeader, ordinal: number, memory: IssueMemory): IssueState {
  const { title, culprit, message } = header;
  return new LiveIssue(header, ordinal, memory, { title, culprit, message });
}

/** Creates an issue without events whose texts are stored. */
export function createStoredState(
  header: Omit<IssueHeader, keyof IssueTexts>,
  ordinal: number,
  memory: IssueMemory,
  texts: StoredTexts,
): IssueState {
  return new LiveIssue(header, ordinal, memory, texts);
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

/** The users of an issue; stored ones stay encoded until one is added. */
export function usersOf({ users, ordinal }: Pick<IssueState, 'users' | 'ordinal'>): UserSketch {
  return users instanceof StoredUsers ? users.of(ordinal) : users;
}

/** The release received last; null without one. */
export function lastReleaseOf(issue: Pick<IssueState, 'releases' | 'releasesReceivedAtMicros'>): string | null {
  const receipts = issue.releasesReceivedAtMicros;
  return issue.releases[receipts.lastIndexOf(Math.max(...receipts))] ?? null;
}

/** Number of users, at most that of the events ever stored: ids can be chosen to look like many. */
export function distinctUsers(issue: IssueState): number {
  return Math.min(countUsers(usersOf(issue)), storedEventsOf(issue) + removedEventsOf(issue));
}
