import type {
  FollowedBatch,
  FollowedEvent,
  FollowPosition,
  RecordFollower,
} from '../../../core/storage/following/record-follower.js';
import type { ExportTelemetry } from '../sending/export-telemetry.js';
import type { DeliveryResult } from './deliver.js';

/** What is sent, and how. */
export interface RecordSenderOptions {
  readonly follower: Pick<RecordFollower, 'next' | 'commit'>;
  /** As `NextOptions`. */
  readonly maxEvents: number;
  readonly waitMs: number;
  readonly deliver: (events: readonly FollowedEvent[]) => Promise<DeliveryResult>;
  readonly telemetry: Pick<ExportTelemetry, 'reportFailing' | 'reportHealthy'>;
  readonly stop: AbortSignal;
  /** Milliseconds after which a cursor is kept anew that could not be kept, where nothing is to be sent; default 5 s. */
  readonly saveRetryMs?: number;
}

const KEEP_AGAIN_MS = 5_000;

/** Sends a record one batch after the other. One request at a time keeps the order and never slows storing. */
export class RecordSender {
  readonly #options: RecordSenderOptions;
  /** What was taken from the record and has no answer yet. */
  #parts: readonly FollowedBatch[] = [];
  /** Right after the last part that has, until the cursor is kept. */
  #unkept: FollowPosition | undefined;

  constructor(options: RecordSenderOptions) {
    this.#options = options;
  }

  /** Until it is told to stop. Where it rejects, the next call goes on with what had no answer. */
  async sendAll(): Promise<void> {
    const { deliver, stop } = this.#options;
    while (!stop.aborted) {
      const [part, ...others] = this.#parts;
      if (part === undefined) {
        const batch = await this.#next();
        if (batch.events.length > 0) this.#parts = [batch];
        else if (this.#unkept === undefined) return;
        else await this.saveCursor();
        continue;
      }
      const delivered = await deliver(part.events);
      if (delivered === 'stopped') return;
      this.#parts = delivered === 'divide' ? [...halveBatch(part), ...others] : others;
      if (delivered === 'divide') continue;
      this.#unkept = part.after;
      await this.saveCursor();
    }
  }

  /**
   * Keeps the cursor where that was not done yet; never rejects. A cursor that cannot be kept stops nothing: a later one makes up for it, and a crash before
   * that sends some events again.
   */
  async saveCursor(): Promise<void> {
    const { follower, telemetry } = this.#options;
    if (this.#unkept === undefined) return;
    try {
      await follower.commit(this.#unkept);
      this.#unkept = undefined;
      telemetry.reportHealthy('saving');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      telemetry.reportFailing(`its cursor could not be saved: ${reason}`, 'saving');
    }
  }

  async #next(): Promise<FollowedBatch> {
    const { follower, maxEvents, waitMs, stop, saveRetryMs: keepAgainMs = KEEP_AGAIN_MS } = this.#options;
    const enough = new AbortController();
    const end = (): void => enough.abort();
    const timer = this.#unkept && setTimeout(end, keepAgainMs);
    stop.addEventListener('abort', end);
    try {
      return await follower.next({ maxEvents, waitMs, signal: enough.signal });
    } finally {
      clearTimeout(timer);
      stop.removeEventListener('abort', end);
    }
  }
}

/** The two halves of a batch of at least two events, in order. What stands behind its last event belongs to the second. */
export function halveBatch({ events, after }: FollowedBatch): readonly FollowedBatch[] {
  const half = Math.ceil(events.length / 2);
  const [first, second] = [events.slice(0, half), events.slice(half)];
  return [
    { events: first, after: first.at(-1)?.after ?? after },
    { events: second, after },
  ];
}
