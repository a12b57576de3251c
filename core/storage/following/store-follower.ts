import { isIndexUnusable } from '../index/documents/index-fault.js';
import type { IndexSource } from '../index/index-source.js';
import { ArrivalSignal } from './arrival-bell.js';
import {
  afterArrival,
  afterCatchingUp,
  afterCommit,
  afterRemoval,
  beginProgress,
  type FollowProgress,
  lacksHour,
  type RecordExtent,
  waitingOf,
} from './follow-progress.js';
import { FollowedEvents, type FollowedEventsOptions } from './followed-events.js';
import type { FollowedBatch, FollowPosition, FollowStatus, NextOptions, RecordFollower } from './record-follower.js';
import { type RowsAhead, readAhead, rowsAfter } from './rows-after.js';

/** What a follower reads; all of it stays open. */
export interface StoreFollowerOptions extends FollowedEventsOptions {
  readonly index: Pick<IndexSource, 'content' | 'recover'>;
  readonly position: FollowPosition;
  readonly holdMs: number;
  /** Keeps a position; absent: the cursor lives in memory. */
  readonly write?: ((position: FollowPosition) => Promise<void>) | undefined;
  readonly onClose: (follower: StoreFollower) => void;
}

const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;

/** A follower over the index of the writer: it holds a row for every event that is durable, in order of arrival. */
export class StoreFollower implements RecordFollower {
  readonly #options: StoreFollowerOptions;
  readonly #bell = new ArrivalSignal();
  readonly #events: FollowedEvents;
  #progress: FollowProgress;
  #heldHour = Number.NEGATIVE_INFINITY;

  constructor(options: StoreFollowerOptions) {
    this.#options = options;
    this.#events = new FollowedEvents(options);
    this.#progress = beginProgress(options.position);
  }

  /** For how long retention waits for it, milliseconds. */
  get holdMs(): number {
    return this.#options.holdMs;
  }

  /** Looks at what waits already. Rejects as `next` does. */
  async begin(): Promise<void> {
    this.#passRemoved();
    await this.#findOldest();
  }

  /** So many events became durable, the first of them at that instant. */
  arrived(events: number, receivedAtMicros: number): void {
    this.#progress = afterArrival(this.#progress, receivedAtMicros);
    this.#bell.ring(events);
  }

  async next({ maxEvents, maxBytes = DEFAULT_MAX_BYTES, waitMs, signal }: NextOptions): Promise<FollowedBatch> {
    const look = (): Promise<RowsAhead> =>
      readAhead(this.#options.index, () => this.#passRemoved().read, { maxEvents, maxBytes });
    while (!signal.aborted && !this.#bell.isClosed) {
      const heard = this.#bell.listen();
      const extent = this.#extent;
      let ahead = await look();
      if (ahead.rows.length === 0) {
        // What came while it looked is not caught up with.
        if (this.#extent.total !== extent.total) continue;
        this.#progress = afterCatchingUp(this.#progress, extent);
        await heard.untilRung(1, undefined, signal);
        continue;
      }
      const lacking = maxEvents - ahead.rows.length;
      if (lacking > 0 && waitMs > 0 && isLatest(ahead)) {
        await heard.untilRung(lacking, waitMs, signal);
        ahead = await look();
      }
      const batch = await this.#batchOf(ahead);
      if (batch !== undefined && batch.events.length > 0) return batch;
    }
    return { events: [], after: this.#progress.read };
  }

  async commit(position: FollowPosition): Promise<void> {
    await this.#options.write?.(position);
    this.#progress = afterCommit(this.#progress, position);
    await this.#findOldest();
  }

  status(): FollowStatus {
    const progress = this.#passRemoved();
    const waiting = waitingOf(progress, this.#extent);
    return {
      waiting,
      oldestMicros: waiting === 0 ? undefined : progress.oldestMicros,
      removed: progress.removed,
      unreadable: this.#events.unreadable,
      isHeldFor: this.lacks(this.#heldHour),
    };
  }

  async close(): Promise<void> {
    this.#bell.close();
    this.#options.onClose(this);
  }

  /** Whether events up to the end of an hour wait for it. */
  lacks(hour: number): boolean {
    return lacksHour(this.#progress, this.#extent, hour);
  }

  /** Hears up to which hour events are kept for it; minus infinity: none. */
  heldThrough(hour: number): void {
    this.#heldHour = hour;
  }

  get #extent(): RecordExtent {
    const { removed, segments } = this.#options.index.content;
    return { total: removed.events + segments.events, removed };
  }

  #passRemoved(): FollowProgress {
    this.#progress = afterRemoval(this.#progress, this.#extent);
    return this.#progress;
  }

  /** Undefined where retention took some of them away meanwhile. */
  async #batchOf(ahead: RowsAhead): Promise<FollowedBatch | undefined> {
    const events = await this.#events.read(ahead, () => this.#extent.removed.beforeMicros);
    if (events === undefined) return undefined;
    const after = ahead.rows.at(-1)?.after ?? this.#progress.read;
    this.#progress = { ...this.#progress, read: after, ...(events.length > 0 && { given: after }) };
    return { events, after };
  }

  async #findOldest(): Promise<void> {
    const { content } = this.#options.index;
    if (waitingOf(this.#progress, this.#extent) === 0) {
      this.#progress = { ...this.#progress, oldestMicros: undefined };
      return;
    }
    try {
      const [first] = await rowsAfter(content, this.#progress.committed, { maxEvents: 1, maxBytes: 1 });
      const oldestMicros = first?.row.receivedAtMicros ?? content.lastReceivedAtMicros;
      this.#progress = { ...this.#progress, oldestMicros };
    } catch (error) {
      // `next` meets the same, and says so.
      if (!isIndexUnusable(error)) throw error;
      this.#progress = afterArrival(this.#progress, content.lastReceivedAtMicros);
    }
  }
}

/** Whether nothing had come after them when they were read. */
function isLatest({ rows, content }: RowsAhead): boolean {
  return rows.at(-1)?.row.receivedAtMicros === content.lastReceivedAtMicros;
}
