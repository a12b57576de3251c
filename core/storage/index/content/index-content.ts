import { ownCopy } from '../../../event/json.js';
import { levelOf } from '../../../event/level.js';
import { listedMessage, type RawPayload, repeatsOf, weightOf } from '../../../event/raw-payload.js';
import type { GroupingResult } from '../../../fingerprint/fingerprint.js';
import { issueIdOf } from '../../../issues/issue-id.js';
import { eventInstant, typeOf } from '../../../normalize/normalize.js';
import type { StoredFingerprint } from '../../record/commits/commit-record.js';
import type { CommittedEvent } from '../../record/commits/committed-event.js';
import { countEvent, type EventFacts } from '../count-event.js';
import type { EventRow } from '../segments/event-segment.js';
import type { EventSegments } from '../segments/event-segments.js';
import { userHash } from '../segments/user-sketch.js';
import { ISSUES_PER_SHARD, type IssueHeader, IssueState, SharedTexts } from './issue-state.js';
import { IssueTable } from './issue-table.js';
import {
  type LostRows,
  NOTHING_REMOVED,
  type Removal,
  type RemovedTotals,
  restoreIssue,
  uncountEvents,
} from './removal.js';

/** The payload fields that the index counts; of `extra` only the weight. */
type CountedPayload = Pick<
  RawPayload,
  'app' | 'env' | 'extra' | 'level' | 'release' | 'service' | 'stack' | 'status_code' | 'timestamp' | 'user_id'
>;

/** What the index needs to count an event. */
export interface IndexedFailure {
  readonly payload: CountedPayload;
  readonly fingerprint: StoredFingerprint;
}

/** With what a new issue needs in addition; of `message` only the first 512 UTF-16 units are used. */
export interface DescribedFailure extends IndexedFailure {
  readonly payload: CountedPayload & Pick<RawPayload, 'error_name' | 'message'>;
  readonly fingerprint: GroupingResult;
}

/** An event for the index; every `CommittedEvent` is one. */
export interface IndexedEvent extends Omit<CommittedEvent, 'eventId' | 'event'> {
  readonly event: IndexedFailure | DescribedFailure;
}

/** Whether an issue can be created from it. */
export function isDescribed(failure: IndexedFailure | DescribedFailure): failure is DescribedFailure {
  return 'title' in failure.fingerprint;
}

type EventLocation = Pick<EventRow, 'partition' | 'line' | 'offset' | 'bytes'>;

/** The index in memory: all issues, and where all events are stored. Live and replayed events enter it alike. */
export class IndexContent {
  readonly issues = new IssueTable();
  readonly texts = new SharedTexts();
  readonly segments: EventSegments;
  /** Shards with states changed since they were last written. */
  readonly changedShards = new Set<number>();
  /** `received_at` of the last applied event, or the last removed instant if later. */
  lastReceivedAtMicros: number;
  /** By shard: the last receipt counted in the loaded states. */
  readonly #countedThrough: number[] = [];
  #loadedIssues = 0;
  /** Totals of the removals that this index has applied. */
  removed: RemovedTotals;

  constructor(segments: EventSegments) {
    this.segments = segments;
    const { beforeMicros, cursorMicros } = segments.sealed;
    this.lastReceivedAtMicros = Math.max(cursorMicros, beforeMicros - 1);
    this.removed = { ...NOTHING_REMOVED, beforeMicros };
  }

  /** Removes the events before an instant from all counts; `lost` is by ordinal. Synchronous, so that no reader sees half of it. */
  remove(lost: ReadonlyMap<number, LostRows>, totals: RemovedTotals): void {
    let rows = 0;
    for (const [ordinal, lostRows] of lost) {
      const issue = this.issues.inOrder[ordinal];
      if (issue === undefined) continue;
      rows += lostRows.events - lostRows.sampled + lostRows.repeated;
      this.#uncount(issue, lostRows);
    }
    this.#forgetBefore(totals, rows);
  }

  /** Applies a recorded removal to an index that was loaded from before it. */
  applyRemoval({ issues, totals }: Removal): void {
    let rows = 0;
    for (const { issueId, removed, removedSampled, removedRepeated, hours } of issues) {
      const issue = this.issues.get(issueId);
      if (issue === undefined) continue;
      const events = Math.max(0, removed - issue.removed);
      const sampled = Math.max(0, removedSampled - issue.removedSampled);
      const repeated = Math.max(0, removedRepeated - issue.removedRepeated);
      rows += events - sampled + repeated;
      this.#uncount(issue, { events, sampled, repeated, hours });
    }
    this.#forgetBefore(totals, rows);
  }

  /** Creates the issues of a recorded removal in an empty index; the record provides the remaining events. */
  restoreRemoved({ issues, totals }: Removal): void {
    for (const removal of issues) {
      const issue = this.issues.get(removal.issueId) ?? this.#addIssue(removal);
      restoreIssue(issue, removal, this.texts);
      this.changedShards.add(Math.floor(issue.ordinal / ISSUES_PER_SHARD));
    }
    this.#forgetBefore(totals, 0);
  }

  #uncount(issue: IssueState, lost: LostRows): void {
    uncountEvents(issue, lost);
    this.changedShards.add(Math.floor(issue.ordinal / ISSUES_PER_SHARD));
  }

  #forgetBefore(totals: RemovedTotals, rows: number): void {
    this.segments.forgetBefore(totals.beforeMicros, rows);
    this.lastReceivedAtMicros = Math.max(this.lastReceivedAtMicros, totals.beforeMicros - 1);
    this.removed = totals;
  }

  /** Call once the issues are loaded. `countedThrough`: the last receipt that their states count, by shard. */
  setLoaded(countedThrough: readonly number[]): void {
    this.#countedThrough.push(...countedThrough);
    this.#loadedIssues = this.issues.inOrder.length;
  }

  /** After a whole replay: whether the loaded states count events that the record lacks. */
  get isAheadOfRecord(): boolean {
    return this.countsBeyond(this.lastReceivedAtMicros);
  }

  countsBeyond(instantMicros: number): boolean {
    return this.#countedThrough.some((micros) => micros > instantMicros);
  }

  /** The last receipt that the states of a shard count now. */
  countedThrough(shard: number): number {
    return Math.max(this.lastReceivedAtMicros, this.#countedThrough[shard] ?? 0);
  }

  /**
   * Applies one whole commit; synchronous, so that readers see whole commits. The first event of a new issue must be described.
   */
  apply(events: readonly IndexedEvent[]): void {
    const [first] = events;
    if (first === undefined) return;
    this.segments.sealIfFull(first.receivedAtMicros);
    for (const event of events) this.#apply(event);
    this.lastReceivedAtMicros = Math.max(this.lastReceivedAtMicros, first.receivedAtMicros);
  }

  #apply(committed: IndexedEvent): void {
    const { payload, fingerprint } = committed.event;
    const { receivedAtMicros } = committed;
    const issue =
      this.issues.find(payload.app, payload.service, fingerprint.value) ?? this.#addIssue(headerOf(committed));
    const { env, release } = payload;
    const [level, type] = [levelOf(payload), typeOf(payload)];
    const instant = eventInstant(payload, receivedAtMicros);
    const user = userHash(payload.user_id);
    const weight = weightOf(payload.extra);
    const repeats = repeatsOf(payload.extra);
    this.#count(issue, committed, { instant, receivedAtMicros, level, type, env, release, user, weight, repeats });
  }

  #count(issue: IssueState, { partition, line, offset, bytes }: EventLocation, facts: EventFacts): void {
    const { receivedAtMicros, weight, repeats } = facts;
    const { ordinal } = issue;
    const shard = Math.floor(ordinal / ISSUES_PER_SHARD);
    this.changedShards.add(shard);
    const eventTimeMs = facts.instant.ms;
    const row = { ordinal, partition, line, offset, bytes, receivedAtMicros, eventTimeMs, weight, repeats };
    const release = facts.release === null ? null : this.texts.share(facts.release);
    this.segments.append(row, issue.lastSegment, { release, user: facts.user });
    issue.lastSegment = this.segments.open.number;
    // Replay begins at the end of the segments; states may be written later, and must not count an event twice.
    const isCounted = ordinal < this.#loadedIssues && receivedAtMicros <= (this.#countedThrough[shard] ?? 0);
    if (!isCounted) countEvent(issue, facts, this.texts);
  }

  #addIssue(header: IssueHeader): IssueState {
    const issue = new IssueState(this.#ownHeader(header), this.issues.inOrder.length);
    this.issues.add(issue);
    return issue;
  }

  /** Copies the texts, so that they do not keep the commit's buffer in memory. */
  #ownHeader(header: IssueHeader): IssueHeader {
    return {
      ...header,
      app: this.texts.share(header.app),
      service: this.texts.share(header.service),
      errorName: this.texts.share(header.errorName),
      firstRelease: this.texts.share(header.firstRelease),
      fingerprint: ownCopy(header.fingerprint),
      title: ownCopy(header.title),
      culprit: ownCopy(header.culprit),
      message: ownCopy(header.message),
    };
  }
}

/** The header of a new issue, from its first event. */
function headerOf({ event, receivedAtMicros }: IndexedEvent): IssueHeader {
  if (!isDescribed(event)) throw new Error('The first event of a new issue has no description.');
  const { payload, fingerprint } = event;
  const key = { app: payload.app, service: payload.service, fingerprint: fingerprint.value };
  return {
    issueId: issueIdOf(key),
    fingerprint: fingerprint.value,
    fingerprintVersion: fingerprint.version,
    app: payload.app,
    service: payload.service,
    title: fingerprint.title,
    culprit: fingerprint.culprit,
    errorName: payload.error_name,
    message: listedMessage(payload.message),
    firstReceivedAtMicros: receivedAtMicros,
    firstRelease: payload.release ?? '',
  };
}
