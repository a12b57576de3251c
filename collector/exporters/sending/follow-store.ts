import { parseDuration } from '../../../config/values/duration.js';
import type { EventStore } from '../../../core/storage/event-store.js';
import type { RecordFollower } from '../../../core/storage/following/record-follower.js';
import { within } from '../../../core/within.js';
import type { QueueSettings } from '../../../generated/settings.js';
import { createExportTelemetry } from './export-telemetry.js';
import { createRecordSender, type Deliver } from './record-sender.js';
import { createRunningSender } from './running-sender.js';
import type { SenderTelemetryOptions } from './sender-telemetry.js';

/** The store that an exporter follows; `opened` is called between its `start` and `shutdown`. */
export interface FollowedStore {
  opened(): Pick<EventStore, 'follow'>;
}

interface FollowStoreOptions extends SenderTelemetryOptions {
  readonly store: FollowedStore;
  readonly queue: QueueSettings;
  /** Whether the position survives a restart. */
  readonly isDurable: boolean;
}

/** Bound of a batch in progress on shutdown; a later start delivers it again. */
const STOP_MS = 1_000;

/** Sends the events of a store in batches between `start` and `shutdown`; the id of the exporter also names its cursor. */
export function followStore({ store, queue, isDurable, ...about }: FollowStoreOptions) {
  let follower: RecordFollower | undefined;
  let sender: ReturnType<typeof createRecordSender> | undefined;
  const telemetry = createExportTelemetry(about, () => follower?.status());
  const running = createRunningSender();
  const { stop, abort } = running;

  return {
    telemetry,
    stop,
    abort,

    /** Fault `FOLLOWER_EXISTS`. */
    async start(deliver: Deliver): Promise<void> {
      const holdMs = parseDuration(queue.retention_hold);
      const opening = store.opened().follow({ name: about.id, startAt: queue.start_at, holdMs, isDurable });
      follower = await opening;
      telemetry.start();
      const bounds = { maxEvents: queue.max_batch_events, waitMs: parseDuration(queue.flush_interval) };
      const sending = createRecordSender({ follower, ...bounds, telemetry, stop, deliver });
      sender = sending;
      running.run(sending.sendAll, telemetry.reportFailing);
    },

    async shutdown(): Promise<void> {
      await within(STOP_MS, running.end());
      await sender?.saveCursor();
      telemetry.stop();
      await follower?.close();
      follower = undefined;
    },
  };
}
