import { isIndexUnusable } from '../index/documents/index-fault.js';
import type { IndexSource } from '../index/index-source.js';
import { ArrivalSignal } from './arrival-signal.js';
import {
  afterArrival,
  afterCatchingUp,
  afterCommit,
  afterRemoval,
  beginProgress,
  type FollowProgress,
  hasWaitingIn,
  type RecordExtent,
  waitingOf,
} from './follow-progress.js';
import {
  FollowedEvents,
  type FollowedEventsOptions,
  followedEvent,
  followedLine,
  type ItemOf,
} from './followed-events.js';
import type {
  FollowedBatch,
  FollowedLine,
  FollowPosition,
  FollowStatus,
  NextOptions,
  RecordFollower,
} from './record-follower.js';
import { type RowsAhead, readAhead, rowsAfter } from './rows-after.js';

/** Options for `StoreFollower`; it closes none of them. */
interface StoreFollowerOptions extends FollowedEventsOptions {
  /** The data folder. */
  readonly directory: string;
  readonly index: Pick<IndexSource, 'content' | 'recover'>;
  readonly position: FollowPosition;
  readonly holdMs: number;
  /** Stores a position; absent: the cursor is not durable. */
  readonly store?: ((position: FollowPosition) => Promise<void>) | undefined;
  readonly onClose: (follower: StoreFollower) => void;
}

const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;

/** A follower of the writer's index, which has a row for every durable event in order of arrival. */
export class StoreFollower implements RecordFollower {
  readonly #options: StoreFollowerOptions;
  readonly #arrivals = new ArrivalSignal();
  readonly #events: FollowedEvents;
  #progress: FollowProgress;
  #heldHour = Number.NEGATIVE_INFINITY;

  constructor(options: StoreFollowerOptions) {
    this.#options = options;
    this.#events = new FollowedEvents(options);
    this.#progress = beginProgress(options.position);
  }

  get holdMs(): number {
    return this.#options.holdMs;
  }

  /** Finds what already waits. Rejects as `next` does. */
  async begin(): Promise<void> {
    this.#skipRemoved();
    await this.#findOldest();
  }

  /** Called after a commit with the number of events and the first one's receipt. */
  arrived(events: number, receivedAtMicros: number): void {
    this.#progress = afterArrival(this.#progress, receivedAtMicros);
    this.#arrivals.notify(events);
  }

  next(options: NextOptions): Promise<FollowedBatch> {
    return this.#next(options, followedEvent(this.#options.directory));
  }

  nextLines(options: NextOptions): Promise<FollowedBatch<FollowedLine>> {
    return this.#next(options, followedLine);
  }

  async rewind(position: FollowPosition): Promise<void> {
    this.#progress = { ...beginProgress(position), removed: this.#progress.removed };
    await this.#findOldest();
  }

  async #next<Item>(
    { maxEvents, maxBytes = DEFAULT_MAX_BYTES, waitMs, signal }: NextOptions,
    itemOf: ItemOf<Item>,
  ): Promise<FollowedBatch<Item>> {
    const read = (): Promise<RowsAhead> =>
      readAhead(this.#options.index, () => this.#skipRemoved().read, { maxEvents, maxBytes });
    while (!signal.aborted && !this.#arrivals.isClosed) {
      const subscription = this.#arrivals.subscribe();
      const extent = this.#extent;
      let ahead = await read();
      if (ahead.rows.length === 0) {
        // Events arrived during the read.
        if (this.#extent.total !== extent.total) continue;
        this.#progress = afterCatchingUp(this.#progress, extent);
        await subscription.waitFor(1, undefined, signal);
        continue;
      }
      const room = maxEvents - ahead.rows.length;
      if (room > 0 && waitMs > 0 && isLatest(ahead)) {
        await subscription.waitFor(room, waitMs, signal);
        ahead = await read();
      }
      const batch = await this.#batchOf(ahead, itemOf);
      if (batch !== undefined && batch.events.length > 0) return batch;
    }
    return { events: [], after: this.#progress.read };
  }

  async commit(position: FollowPosition): Promise<void> {
    await this.#options.store?.(position);
    this.#progress = afterCommit(this.#progress, position);
    await this.#findOldest();
  }

  status(): FollowStatus {
    const progress = this.#skipRemoved();
    const waiting = waitingOf(progress, this.#extent);
    return {
      committed: progress.committed,
      waiting,
      oldestMicros: waiting === 0 ? undefined : progress.oldestMicros,
      removed: progress.removed,
      unreadable: this.#events.unreadable,
      isHeldFor: this.hasWaitingIn(this.#heldHour),
    };
  }

  async close(): Promise<void> {
    this.#arrivals.close();
    this.#options.onClose(this);
  }

  /** Whether events up to the end of an hour wait for it. */
  hasWaitingIn(hour: number): boolean {
    return hasWaitingIn(this.#progress, this.#extent, hour);
  }

  /** Sets the last hour that is held for it; minus infinity: none. */
  setHeldHour(hour: number): void {
    this.#heldHour = hour;
  }

  get #extent(): RecordExtent {
    const { removed, segments } = this.#options.index.content;
    return { total: removed.events + segments.events, removed };
  }

  #skipRemoved(): FollowProgress {
    this.#progress = afterRemoval(this.#progress, this.#extent);
    return this.#progress;
  }

  /** Undefined if retention removed some of them meanwhile. */
  async #batchOf<Item>(ahead: RowsAhead, itemOf: ItemOf<Item>): Promise<FollowedBatch<Item> | undefined> {
    const events = await this.#events.read(ahead, () => this.#extent.removed.beforeMicros, itemOf);
    if (events === undefined) return undefined;
    const after = ahead.rows.at(-1)?.after ?? this.#progress.read;
    this.#progress = { ...this.#progress, read: after, ...(events.length > 0 && { delivered: after }) };
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
      // `next` reports it.
      if (!isIndexUnusable(error)) throw error;
      this.#progress = afterArrival(this.#progress, content.lastReceivedAtMicros);
    }
  }
}

/** Whether they reach the end of the index. */
function isLatest({ rows, content }: RowsAhead): boolean {
  return rows.at(-1)?.row.receivedAtMicros === content.lastReceivedAtMicros;
}
