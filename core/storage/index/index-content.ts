import { cutText } from '../../event/cut-text.js';
import { issueIdOf } from '../../issues/issue-id.js';
import { eventInstant } from '../../normalize/event-instant.js';
import { levelOf, typeOf } from '../../normalize/normalize.js';
import type { CommittedEvent } from '../committed-event.js';
import type { EventSegments } from './event-segments.js';
import { countEvent, createIssueState, type IssueState } from './issue-state.js';
import { IssueTable } from './issue-table.js';
import { ISSUES_PER_SHARD } from './states-document.js';
import { ownCopy, StringPool } from './string-pool.js';

const MAX_MESSAGE_LENGTH = 512;

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

  constructor(segments: EventSegments) {
    this.segments = segments;
    this.#lastReceivedAtMicros = segments.sealed.cursorMicros;
  }

  /** `received_at` of the last event that was taken. */
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
    return this.#countedThrough.some((micros) => micros > this.#lastReceivedAtMicros);
  }

  /** Up to which receipt the states of a shard count events, as they stand now. */
  countedThrough(shard: number): number {
    return Math.max(this.#lastReceivedAtMicros, this.#countedThrough[shard] ?? 0);
  }

  /** Takes one whole commit. Synchronous, so that whoever looks between two commits sees both whole. */
  apply(events: readonly CommittedEvent[]): void {
    const [first] = events;
    if (first === undefined) return;
    this.segments.sealIfFull(first.receivedAtMicros);
    for (const event of events) this.#take(event);
    this.#lastReceivedAtMicros = Math.max(this.#lastReceivedAtMicros, first.receivedAtMicros);
  }

  #take(committed: CommittedEvent): void {
    const { payload, fingerprint } = committed.event;
    const { receivedAtMicros } = committed;
    const instant = eventInstant(payload, receivedAtMicros);
    const issue = this.issues.find(payload.app, payload.service, fingerprint.value) ?? this.#addIssue(committed);
    const shard = Math.floor(issue.ordinal / ISSUES_PER_SHARD);
    this.changedShards.add(shard);
    this.segments.append(
      {
        ordinal: issue.ordinal,
        partition: committed.partition,
        line: committed.line,
        offset: committed.offset,
        bytes: committed.bytes,
        receivedAtMicros,
        eventTimeMs: instant.ms,
      },
      issue.lastSegment,
    );
    issue.lastSegment = this.segments.open.number;
    // Replay starts where the segments end, and states may have been written a little later than that: they are not counted twice.
    const isCounted = issue.ordinal < this.#loadedIssues && receivedAtMicros <= (this.#countedThrough[shard] ?? 0);
    if (isCounted) return;
    const { env, release } = payload;
    const [level, type] = [levelOf(payload), typeOf(payload)];
    countEvent(issue, { instant, receivedAtMicros, level, type, env, release }, this.pool);
  }

  #addIssue({ event: { payload, fingerprint }, receivedAtMicros }: CommittedEvent): IssueState {
    const key = { app: payload.app, service: payload.service, fingerprint: fingerprint.value };
    const issue = createIssueState(
      {
        issueId: ownCopy(issueIdOf(key)),
        fingerprint: ownCopy(fingerprint.value),
        fingerprintVersion: fingerprint.version,
        app: this.pool.share(payload.app),
        service: this.pool.share(payload.service),
        title: ownCopy(fingerprint.title),
        culprit: fingerprint.culprit === null ? null : ownCopy(fingerprint.culprit),
        errorName: this.pool.share(payload.error_name),
        message: ownCopy(cutText(payload.message, MAX_MESSAGE_LENGTH)),
        firstReceivedAtMicros: receivedAtMicros,
      },
      this.issues.inOrder.length,
    );
    this.issues.add(issue);
    return issue;
  }
}
