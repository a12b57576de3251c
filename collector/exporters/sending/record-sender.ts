import { messageOf } from '../../../core/event/fault.js';
import type {
  FollowedBatch,
  FollowedEvent,
  FollowPosition,
  RecordFollower,
} from '../../../core/storage/following/record-follower.js';
import type { ExportTelemetry } from './export-telemetry.js';

/** Outcome of a delivery. */
export type DeliveryResult =
  /** Sent or dropped, and counted. */
  | 'done'
  /** Too large for the server, or an event cannot be encoded: send smaller batches. */
  | 'divide'
  | 'stopped';

/** Delivers the events of one batch. */
export type Deliver = (events: readonly FollowedEvent[]) => Promise<DeliveryResult>;

interface RecordSenderOptions {
  readonly follower: Pick<RecordFollower, 'next' | 'commit'>;
  readonly maxEvents: number;
  readonly waitMs: number;
  readonly deliver: Deliver;
  readonly telemetry: Pick<ExportTelemetry, 'reportFailing' | 'reportHealthy'>;
  readonly stop: AbortSignal;
  /** Retry interval for saving the cursor while idle, milliseconds, default 5,000. */
  readonly saveRetryMs?: number;
}

const SAVE_RETRY_MS = 5_000;

/** Sends the record in batches, one request at a time to keep the order. */
export class RecordSender {
  readonly #options: RecordSenderOptions;
  /** Batches without a response yet, the next one first. */
  #batches: readonly FollowedBatch[] = [];
  /** The position to save; undefined once saved. */
  #unsaved: FollowPosition | undefined;

  constructor(options: RecordSenderOptions) {
    this.#options = options;
  }

  /** Runs until stopped. If it rejects, the next call resumes with unanswered batches. */
  async sendAll(): Promise<void> {
    let isOver = false;
    while (!isOver && !this.#options.stop.aborted) {
      const [batch, ...others] = this.#batches;
      isOver = batch === undefined ? await this.#readNext() : await this.#deliver(batch, others);
    }
  }

  /** Saves the cursor if needed; never rejects. If saving fails, a crash before the next save sends some events again. */
  async saveCursor(): Promise<void> {
    if (this.#unsaved === undefined) return;
    const { follower, telemetry } = this.#options;
    try {
      await follower.commit(this.#unsaved);
      this.#unsaved = undefined;
      telemetry.reportHealthy('saving');
    } catch (error) {
      telemetry.reportFailing(`its cursor could not be saved: ${messageOf(error)}`, 'saving');
    }
  }

  /** Returns whether the follower has ended. */
  async #readNext(): Promise<boolean> {
    const { follower, maxEvents, waitMs, stop, saveRetryMs = SAVE_RETRY_MS } = this.#options;
    const isSaved = this.#unsaved === undefined;
    // Not in the common case, because Node 20 keeps a few bytes of every combined signal.
    const signal = isSaved ? stop : AbortSignal.any([stop, AbortSignal.timeout(saveRetryMs)]);
    const batch = await follower.next({ maxEvents, waitMs, signal });
    if (batch.events.length > 0) this.#batches = [batch];
    else if (isSaved) return true;
    else await this.saveCursor();
    return false;
  }

  /** Returns whether the delivery was stopped. */
  async #deliver(batch: FollowedBatch, others: readonly FollowedBatch[]): Promise<boolean> {
    const result = await this.#options.deliver(batch.events);
    if (result === 'stopped') return true;
    if (result === 'divide') {
      this.#batches = [...halveBatch(batch), ...others];
      return false;
    }
    this.#batches = others;
    this.#unsaved = batch.after;
    await this.saveCursor();
    return false;
  }
}

/** Halves a batch of at least two events. */
export function halveBatch({ events, after }: FollowedBatch): readonly FollowedBatch[] {
  const half = Math.ceil(events.length / 2);
  const [first, second] = [events.slice(0, half), events.slice(half)];
  return [
    { events: first, after: first.at(-1)?.after ?? after },
    { events: second, after },
  ];
}
