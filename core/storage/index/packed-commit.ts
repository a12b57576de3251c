import type { FingerprintValue, IssueId } from '../../event/ids.js';
import type { Instant } from '../../normalize/timestamp.js';
import { type CommitRecord, canBeRead } from '../record/commit-record.js';
import type { Partition } from '../record/partition.js';
import type { EventFacts, IssueCard } from './issue-state.js';
import type { IssueTable } from './issue-table.js';
import {
  BYTES,
  COLUMNS,
  DESCRIPTION,
  ENV,
  KEY_PARTS,
  LEVEL,
  NANOS,
  type PackedLines,
  RELEASE,
  TYPE,
  UNREAD,
  USER,
} from './packed-lines.js';
import type { StringPool } from './string-pool.js';
import { NO_USER } from './user-sketch.js';

/** The answer of a thread, with what is looked up once for all its lines. */
export class PackedAnswer {
  readonly packed: PackedLines;
  /** By place of an app and service, their number in the issue table. */
  readonly #numbers: (number | undefined)[] = [];
  readonly #kept: string[] = [];
  #nextCommit = 0;
  #nextLine = 0;

  constructor(packed: PackedLines) {
    this.packed = packed;
  }

  /**
   * Its lines of the next commit, grouped by that version of the rules; the caller goes through those that it sent. Undefined where the thread did not
   * read it.
   */
  next(
    { partition, record }: { partition: Partition; record: CommitRecord },
    fingerprintVersion: number,
  ): PackedCommit | undefined {
    // Never sent.
    if (!canBeRead(record)) return undefined;
    const lines = this.packed.lines[this.#nextCommit] ?? UNREAD;
    const first = this.#nextLine;
    this.#nextCommit += 1;
    if (lines === UNREAD) return undefined;
    this.#nextLine += lines;
    return new PackedCommit({ answer: this, first, partition, record, fingerprintVersion });
  }

  /** Undefined where the table knows no issue of it yet. */
  serviceNumber(place: number, issues: IssueTable): number | undefined {
    const known = this.#numbers[place];
    if (known !== undefined) return known;
    const { services } = this.packed;
    const number = issues.serviceNumber(services[place * 2] ?? '', services[place * 2 + 1] ?? '');
    this.#numbers[place] = number;
    return number;
  }

  /** A text by its place, the copy that issues keep where there is one. */
  text(place: number, pool: StringPool): string {
    const known = this.#kept[place];
    if (known !== undefined) return known;
    const text = this.packed.texts[place] ?? '';
    const kept = pool.kept(text) ?? text;
    this.#kept[place] = kept;
    return kept;
  }
}

/** Where the lines of a commit stand in an answer, and in the record. */
interface PackedCommitOptions {
  answer: PackedAnswer;
  /** Of its lines the first in the answer. */
  first: number;
  partition: Partition;
  record: CommitRecord;
  fingerprintVersion: number;
}

/** One line as the index takes it. */
interface PackedEvent extends Omit<EventFacts, 'instant' | 'receivedAtMicros'> {
  /** Of its issue; -1 where that was not known when it was looked for. */
  readonly ordinal: number;
  readonly line: number;
  readonly offset: number;
  readonly bytes: number;
  /** When it happened as the sender says, undefined where it does not. */
  readonly instant: Instant | undefined;
}

/** One commit that a thread read whole. */
export class PackedCommit {
  readonly #options: PackedCommitOptions;
  readonly #ordinals: Int32Array;

  constructor(options: PackedCommitOptions) {
    this.#options = options;
    this.#ordinals = new Int32Array(options.record.lines);
  }

  get partition(): Partition {
    return this.#options.partition;
  }

  get receivedAtMicros(): number {
    return this.#options.record.receivedAtMicros;
  }

  get lines(): number {
    return this.#options.record.lines;
  }

  /**
   * Looks up the issue of each line; false where one is new and no description of it came with this line or with one before. `described` goes through
   * the commits of an instant, in their order.
   */
  findIssues(issues: IssueTable, described: Set<string>): boolean {
    const { columns } = this.#options.answer.packed;
    for (let place = 0; place < this.lines; place += 1) {
      const ordinal = this.#find(place, issues);
      this.#ordinals[place] = ordinal;
      if (ordinal >= 0) continue;
      const key = this.#keyText(place);
      if (columns[(this.#options.first + place) * COLUMNS + DESCRIPTION] !== -1) described.add(key);
      else if (!described.has(key)) return false;
    }
    return true;
  }

  /** Of a line whose issue was not known: its ordinal if it was added meanwhile, else -1. */
  ordinalOfNew(place: number, issues: IssueTable): number {
    return this.#find(place, issues);
  }

  /** All lines in their order. */
  forEach(pool: StringPool, take: (event: PackedEvent, place: number) => void): void {
    const { answer, first, record } = this.#options;
    const { columns, times, weights } = answer.packed;
    let offset = record.offset;
    for (let place = 0; place < record.lines; place += 1) {
      const at = (first + place) * COLUMNS;
      const ms = times[first + place] ?? Number.NaN;
      const release = columns[at + RELEASE] ?? 0;
      const bytes = columns[at + BYTES] ?? 0;
      const event = {
        ordinal: this.#ordinals[place] ?? -1,
        line: record.line + place,
        offset,
        bytes,
        instant: Number.isNaN(ms) ? undefined : { ms, nanos: columns[at + NANOS] ?? 0 },
        level: answer.text(columns[at + LEVEL] ?? 0, pool),
        type: answer.text(columns[at + TYPE] ?? 0, pool),
        env: answer.text(columns[at + ENV] ?? 0, pool),
        release: release === 0 ? null : answer.text(release, pool),
        user: columns[at + USER] ?? NO_USER,
        weight: weights.size === 0 ? 1 : (weights.get(first + place) ?? 1),
      };
      take(event, place);
      offset += bytes + 1;
    }
  }

  /** What a new issue is described by. Its texts have memory of their own. */
  cardAt(place: number, pool: StringPool): IssueCard {
    const { answer, first, record, fingerprintVersion } = this.#options;
    const { columns, descriptions, keys, services } = answer.packed;
    const at = columns[(first + place) * COLUMNS + DESCRIPTION] ?? -1;
    if (at < 0) throw new RangeError('An event of a new issue came without what describes it.');
    const service = this.#servicePlace(place, keys);
    return {
      issueId: (descriptions[at] ?? '') as IssueId,
      fingerprint: (descriptions[at + 1] ?? '') as FingerprintValue,
      fingerprintVersion,
      app: pool.share(services[service * 2] ?? ''),
      service: pool.share(services[service * 2 + 1] ?? ''),
      title: descriptions[at + 2] ?? '',
      culprit: descriptions[at + 3] ?? null,
      errorName: pool.share(descriptions[at + 4] ?? ''),
      message: descriptions[at + 5] ?? '',
      firstReceivedAtMicros: record.receivedAtMicros,
    };
  }

  #servicePlace(place: number, keys: Int32Array): number {
    return keys[(this.#options.first + place) * KEY_PARTS] ?? 0;
  }

  #find(place: number, issues: IssueTable): number {
    const { answer, first } = this.#options;
    const { keys } = answer.packed;
    const number = answer.serviceNumber(this.#servicePlace(place, keys), issues);
    if (number === undefined) return -1;
    return issues.ordinalOf(number, keys, (first + place) * KEY_PARTS + 1);
  }

  #keyText(place: number): string {
    const { answer, first } = this.#options;
    const { keys } = answer.packed;
    const at = (first + place) * KEY_PARTS;
    return `${keys[at]} ${keys[at + 1]} ${keys[at + 2]} ${keys[at + 3]} ${keys[at + 4]}`;
  }
}
