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

/** Creates a sender of the record in batches, one request at a time to keep the order. */
export function createRecordSender(options: RecordSenderOptions) {
  const { follower, maxEvents, waitMs, deliver, telemetry, stop, saveRetryMs = SAVE_RETRY_MS } = options;
  /** Batches without a response yet. */
  let batches: readonly FollowedBatch[] = [];
  /** The position to save; undefined once saved. */
  let unsaved: FollowPosition | undefined;

  async function readNext(): Promise<FollowedBatch> {
    // Not in the common case, because Node 20 keeps a few bytes of every combined signal.
    const signal = unsaved === undefined ? stop : AbortSignal.any([stop, AbortSignal.timeout(saveRetryMs)]);
    return await follower.next({ maxEvents, waitMs, signal });
  }

  /** Saves the cursor if needed; never rejects. If saving fails, a crash before the next save sends some events again. */
  async function saveCursor(): Promise<void> {
    if (unsaved === undefined) return;
    try {
      await follower.commit(unsaved);
      unsaved = undefined;
      telemetry.reportHealthy('saving');
    } catch (error) {
      telemetry.reportFailing(`its cursor could not be saved: ${messageOf(error)}`, 'saving');
    }
  }

  return {
    saveCursor,

    /** Runs until stopped. If it rejects, the next call resumes with unanswered batches. */
    async sendAll(): Promise<void> {
      while (!stop.aborted) {
        const [batch, ...others] = batches;
        if (batch === undefined) {
          const next = await readNext();
          if (next.events.length > 0) batches = [next];
          else if (unsaved === undefined) return;
          else await saveCursor();
          continue;
        }
        const delivered = await deliver(batch.events);
        if (delivered === 'stopped') return;
        batches = delivered === 'divide' ? [...halveBatch(batch), ...others] : others;
        if (delivered === 'divide') continue;
        unsaved = batch.after;
        await saveCursor();
      }
    },
  };
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
