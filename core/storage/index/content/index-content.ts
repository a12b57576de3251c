import { ownCopy } from '../../../event/json.js';
import { listedMessage, weightOf } from '../../../event/raw-payload.js';
import { issueIdOf } from '../../../issues/issue-id.js';
import { eventInstant, levelOf, typeOf } from '../../../normalize/normalize.js';
import { countEvent, type EventFacts } from '../count-event.js';
import type { EventRow } from '../segments/event-segment.js';
import type { EventSegments } from '../segments/event-segments.js';
import { type DescribedFailure, type IndexedEvent, isDescribed } from './indexed-event.js';
import { restoreIssue, uncountEvents } from './issue-removal.js';
import { createIssueState, ISSUES_PER_SHARD, type IssueCard, type IssueState, StringPool } from './issue-state.js';
import { IssueTable } from './issue-table.js';
import { type LostRows, NOTHING_REMOVED, type Removal, type RemovedTotals } from './removal.js';
import { userHash } from './user-sketch.js';

/** Describes an event of a commit that came without, by its place: it is the first one of its issue. */
export type DescribeEvent = (place: number) => DescribedFailure;

type EventPlace = Pick<EventRow, 'partition' | 'line' | 'offset' | 'bytes'>;

/** The index in memory: every issue, and where every event lies. Events enter it in one way only, whether they are live or replayed. */
export class IndexContent {
  readonly issues = new IssueTable();
  readonly pool = new StringPool();
  readonly segments: EventSegments;
  /** Shards whose states changed since they were last written. */
  readonly changedShards = new Set<number>();
  #lastReceivedAtMicros: number;
  /** By shard: receipts that the states it was loaded with already count. */
  readonly #countedThrough: number[] = [];
  #loadedIssues = 0;
  #removed: RemovedTotals;

  constructor(segments: EventSegments) {
    this.segments = segments;
    const { beforeMicros, cursorMicros } = segments.sealed;
    this.#lastReceivedAtMicros = Math.max(cursorMicros, beforeMicros - 1);
    this.#removed = { ...NOTHING_REMOVED, beforeMicros };
  }

  /** What retention removed, as far as this index knows of it. */
  get removed(): RemovedTotals {
    return this.#removed;
  }

  /** Takes in numbers about removals that the index already knows of. */
  setRemoved(totals: RemovedTotals): void {
    this.#removed = totals;
  }

  /** Takes the events before an instant out of all counts; `lost` is by ordinal. Synchronous, so that nobody sees half of it. */
  remove(lost: ReadonlyMap<number, LostRows>, totals: RemovedTotals): void {
    let rows = 0;
    for (const [ordinal, lostRows] of lost) {
      const issue = this.issues.inOrder[ordinal];
      if (issue === undefined) continue;
      rows += lostRows.events - lostRows.sampled;
      this.#uncount(issue, lostRows);
    }
    this.#forgetBefore(totals, rows);
  }

  /** The same for a removal that was written down, in an index that was loaded as it was before. */
  takeRemoval({ issues, totals }: Removal): void {
    let rows = 0;
    for (const { issueId, removed, removedSampled, hours } of issues) {
      const issue = this.issues.get(issueId);
      if (issue === undefined) continue;
      const events = Math.max(0, removed - issue.removed);
      const sampled = Math.max(0, removedSampled - issue.removedSampled);
      rows += events - sampled;
      this.#uncount(issue, { events, sampled, hours });
    }
    this.#forgetBefore(totals, rows);
  }

  /** Makes the issues of a removal, in an index that holds no events yet; the record gives those that are left. */
  makeRemoved({ issues, totals }: Removal): void {
    for (const removal of issues) {
      const known = this.issues.get(removal.issueId);
      const issue = known ?? createIssueState(this.#ownCard(removal), this.issues.inOrder.length);
      restoreIssue(issue, removal, this.pool);
      if (known === undefined) this.issues.add(issue);
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
    this.#lastReceivedAtMicros = Math.max(this.#lastReceivedAtMicros, totals.beforeMicros - 1);
    this.#removed = totals;
  }

  /** `received_at` of the last event that was taken, or the last instant of what was removed where that is later. */
  get lastReceivedAtMicros(): number {
    return this.#lastReceivedAtMicros;
  }

  /** Says that issues were loaded with states that count what came up to these receipts, by shard. */
  setLoaded(countedThrough: readonly number[]): void {
    this.#countedThrough.push(...countedThrough);
    this.#loadedIssues = this.issues.inOrder.length;
  }

  /** After a whole replay: whether the loaded states count events that it did not bring. */
  get isAheadOfRecord(): boolean {
    return this.countsBeyond(this.#lastReceivedAtMicros);
  }

  /** Whether the loaded states count events that were received after an instant. */
  countsBeyond(instantMicros: number): boolean {
    return this.#countedThrough.some((micros) => micros > instantMicros);
  }

  /** Up to which receipt the states of a shard count events, as they stand now. */
  countedThrough(shard: number): number {
    return Math.max(this.#lastReceivedAtMicros, this.#countedThrough[shard] ?? 0);
  }

  /**
   * Takes one whole commit. Synchronous, so that a reader between two commits sees both whole.
   * `describe` is needed where events come without what a new issue is described by.
   */
  apply(events: readonly IndexedEvent[], describe: DescribeEvent = undescribed): void {
    const [first] = events;
    if (first === undefined) return;
    this.segments.sealIfFull(first.receivedAtMicros);
    for (const [place, event] of events.entries()) this.#take(event, place, describe);
    this.#lastReceivedAtMicros = Math.max(this.#lastReceivedAtMicros, first.receivedAtMicros);
  }

  #take(committed: IndexedEvent, place: number, describe: DescribeEvent): void {
    const { payload, fingerprint } = committed.event;
    const { receivedAtMicros } = committed;
    const issue =
      this.issues.find(payload.app, payload.service, fingerprint.value) ?? this.#addIssue(committed, place, describe);
    const { env, release } = payload;
    const [level, type] = [levelOf(payload), typeOf(payload)];
    const instant = eventInstant(payload, receivedAtMicros);
    const user = userHash(payload.user_id);
    const weight = weightOf(payload.extra);
    this.#count(issue, committed, { instant, receivedAtMicros, level, type, env, release, user, weight });
  }

  #count(issue: IssueState, { partition, line, offset, bytes }: EventPlace, facts: EventFacts): void {
    const { receivedAtMicros, weight } = facts;
    const { ordinal } = issue;
    const shard = Math.floor(ordinal / ISSUES_PER_SHARD);
    this.changedShards.add(shard);
    const row = { ordinal, partition, line, offset, bytes, receivedAtMicros, eventTimeMs: facts.instant.ms, weight };
    this.segments.append(row, issue.lastSegment);
    issue.lastSegment = this.segments.open.number;
    // Replay starts where the segments end, and states may have been written a little later than that: they are not counted twice.
    const isCounted = ordinal < this.#loadedIssues && receivedAtMicros <= (this.#countedThrough[shard] ?? 0);
    if (!isCounted) countEvent(issue, facts, this.pool);
  }

  #addIssue({ event, receivedAtMicros }: IndexedEvent, place: number, describe: DescribeEvent): IssueState {
    // What grouped the event on arrival is on the record, and stays where its description says otherwise.
    const { fingerprint } = event;
    const described = isDescribed(event) ? event : describe(place);
    const { payload } = described;
    const key = { app: payload.app, service: payload.service, fingerprint: fingerprint.value };
    const card = this.#ownCard({
      issueId: issueIdOf(key),
      fingerprint: fingerprint.value,
      fingerprintVersion: fingerprint.version,
      app: payload.app,
      service: payload.service,
      title: described.fingerprint.title,
      culprit: described.fingerprint.culprit,
      errorName: payload.error_name,
      message: listedMessage(payload.message),
      firstReceivedAtMicros: receivedAtMicros,
    });
    const issue = createIssueState(card, this.issues.inOrder.length);
    this.issues.add(issue);
    return issue;
  }

  /** The same with texts in memory of their own. */
  #ownCard(card: IssueCard): IssueCard {
    return {
      issueId: ownCopy(card.issueId),
      fingerprint: ownCopy(card.fingerprint),
      fingerprintVersion: card.fingerprintVersion,
      app: this.pool.share(card.app),
      service: this.pool.share(card.service),
      title: ownCopy(card.title),
      culprit: card.culprit === null ? null : ownCopy(card.culprit),
      errorName: this.pool.share(card.errorName),
      message: ownCopy(card.message),
      firstReceivedAtMicros: card.firstReceivedAtMicros,
    };
  }
}

function undescribed(): never {
  throw new Error('An event of a new issue came without what describes it.');
}
