import { parseDuration } from '../../../config/values/duration.js';
import type { EventStore } from '../../../core/storage/event-store.js';
import type { RecordFollower } from '../../../core/storage/following/record-follower.js';
import { within } from '../../../core/within.js';
import type { QueueSettings } from '../../../generated/settings.js';
import { ExportTelemetry } from './export-telemetry.js';
import { type Deliver, RecordSender } from './record-sender.js';
import { RunningSender } from './running-sender.js';
import type { SenderTelemetryOptions } from './sender-telemetry.js';

/** The store that an exporter follows; `opened` is called between its `start` and `shutdown`. */
export interface FollowedStore {
  opened(): Pick<EventStore, 'follow'>;
}

interface StoreSenderOptions extends SenderTelemetryOptions {
  readonly store: FollowedStore;
  readonly queue: QueueSettings;
  /** Whether the position survives a restart. */
  readonly isDurable: boolean;
}

/** Bound of a batch in progress on shutdown; a later start delivers it again. */
const STOP_MS = 1_000;

/** Sends the events of a store in batches between `start` and `shutdown`; the id of the exporter also names its cursor. */
export class StoreSender {
  readonly telemetry: ExportTelemetry;
  readonly #options: StoreSenderOptions;
  readonly #running = new RunningSender();
  #follower: RecordFollower | undefined;
  #sender: RecordSender | undefined;

  constructor(options: StoreSenderOptions) {
    this.#options = options;
    this.telemetry = new ExportTelemetry(options, () => this.#follower?.status());
  }

  /** Ends retries and delays. */
  get stop(): AbortSignal {
    return this.#running.stop;
  }

  /** Ends a running request, a little later. */
  get abort(): AbortSignal {
    return this.#running.abort;
  }

  /** Fault `FOLLOWER_EXISTS`. */
  async start(deliver: Deliver): Promise<void> {
    const { id, store, queue, isDurable } = this.#options;
    const { telemetry, stop } = this;
    const holdMs = parseDuration(queue.retention_hold);
    this.#follower = await store.opened().follow({ name: id, startAt: queue.start_at, holdMs, isDurable });
    telemetry.start();
    const sender = new RecordSender({
      follower: this.#follower,
      maxEvents: queue.max_batch_events,
      waitMs: parseDuration(queue.flush_interval),
      telemetry,
      stop,
      deliver,
    });
    this.#sender = sender;
    this.#running.run(
      () => sender.sendAll(),
      (reason) => telemetry.reportFailing(reason),
    );
  }

  async shutdown(): Promise<void> {
    await within(STOP_MS, this.#running.end());
    await this.#sender?.saveCursor();
    this.telemetry.stop();
    await this.#follower?.close();
    this.#follower = undefined;
  }
}
