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

interface RecordSenderOptions {
  readonly follower: Pick<RecordFollower, 'next' | 'commit'>;
  readonly maxEvents: number;
  readonly waitMs: number;
  readonly deliver: (events: readonly FollowedEvent[]) => Promise<DeliveryResult>;
  readonly telemetry: Pick<ExportTelemetry, 'reportFailing' | 'reportHealthy'>;
  readonly stop: AbortSignal;
  /** Retry interval for saving the cursor while idle, milliseconds, default 5,000. */
  readonly saveRetryMs?: number;
}

const SAVE_RETRY_MS = 5_000;

/** Sends the record in batches, one request at a time to keep the order. */
export class RecordSender {
  readonly #options: RecordSenderOptions;
  /** Batches without a response yet. */
  #batches: readonly FollowedBatch[] = [];
  /** The position to save; undefined once saved. */
  #unsaved: FollowPosition | undefined;

  constructor(options: RecordSenderOptions) {
    this.#options = options;
  }

  /** Runs until stopped. If it rejects, the next call resumes with unanswered batches. */
  async sendAll(): Promise<void> {
    const { deliver, stop } = this.#options;
    while (!stop.aborted) {
      const [batch, ...others] = this.#batches;
      if (batch === undefined) {
        const next = await this.#next();
        if (next.events.length > 0) this.#batches = [next];
        else if (this.#unsaved === undefined) return;
        else await this.saveCursor();
        continue;
      }
      const delivered = await deliver(batch.events);
      if (delivered === 'stopped') return;
      this.#batches = delivered === 'divide' ? [...halveBatch(batch), ...others] : others;
      if (delivered === 'divide') continue;
      this.#unsaved = batch.after;
      await this.saveCursor();
    }
  }

  /** Saves the cursor if needed; never rejects. If saving fails, a crash before the next save sends some events again. */
  async saveCursor(): Promise<void> {
    const { follower, telemetry } = this.#options;
    if (this.#unsaved === undefined) return;
    try {
      await follower.commit(this.#unsaved);
      this.#unsaved = undefined;
      telemetry.reportHealthy('saving');
    } catch (error) {
      telemetry.reportFailing(`its cursor could not be saved: ${messageOf(error)}`, 'saving');
    }
  }

  async #next(): Promise<FollowedBatch> {
    const { follower, maxEvents, waitMs, stop, saveRetryMs = SAVE_RETRY_MS } = this.#options;
    // Not in the common case, because Node 20 keeps a few bytes of every combined signal.
    const isUnsaved = this.#unsaved !== undefined;
    const signal = isUnsaved ? AbortSignal.any([stop, AbortSignal.timeout(saveRetryMs)]) : stop;
    return await follower.next({ maxEvents, waitMs, signal });
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
