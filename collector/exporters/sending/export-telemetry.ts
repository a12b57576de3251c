import type { FollowStatus } from '../../../core/storage/following/record-follower.js';
import type { ExporterStats } from '../../../generated/reader-answers.js';
import { createSenderTelemetry, type FailingTask, type SenderTelemetryOptions } from './sender-telemetry.js';

const LOG_INTERVAL_MS = 10_000;

/** Metrics and status of an exporter that follows the record. */
export type ExportTelemetry = ReturnType<typeof createExportTelemetry>;

/** Creates them; `status` is undefined while the exporter does not follow. */
export function createExportTelemetry(options: SenderTelemetryOptions, status: () => FollowStatus | undefined) {
  const { id, meters, logger } = options;
  const labels = { exporter: id };
  const sender = createSenderTelemetry(options, () => {
    const { waiting, oldestMicros } = status() ?? {};
    return waiting === undefined ? undefined : { waiting, oldestAtMs: oldestMicros && oldestMicros / 1000 };
  });
  const sent = meters.counter('faultline_exporter_sent_log_records', labels);
  const dropped = meters.counter('faultline_exporter_send_failed_log_records', labels);
  const gone = meters.counter('faultline_exporter_enqueue_failed_log_records', labels);
  let endHeld = (): void => undefined;
  let seen = { removed: 0, unreadable: 0 };
  let nextLogAtMs = 0;

  /** Counts events that are given up; `reason` must not contain event data. */
  function countDropped(events: number, reason: string): void {
    dropped.add(events);
    sender.recordError(reason);
    if (performance.now() < nextLogAtMs) return;
    nextLogAtMs = performance.now() + LOG_INTERVAL_MS;
    logger.error({ events, lost: dropped.current, reason }, 'events were dropped unsent');
  }

  /** Counts newly removed and unreadable events. */
  function poll(): void {
    const { removed, unreadable } = status() ?? seen;
    const [events, unread] = [removed - seen.removed, unreadable - seen.unreadable];
    seen = { removed, unreadable };
    if (unread > 0) countDropped(unread, 'their raw lines could not be read');
    if (events <= 0) return;
    gone.add(events);
    sender.recordError('retention removed events before they were sent');
    logger.error({ events }, 'retention removed events before they were sent');
  }

  return {
    ...sender,
    countDropped,

    start(): void {
      sender.start();
      endHeld = meters.gauge('faultline_exporter_retention_held', labels, () => (status()?.isHeldFor ? 1 : 0));
      poll();
    },

    stop(): void {
      sender.stop();
      endHeld();
    },

    countSent(events: number): void {
      sent.add(events);
    },

    reportFailing(reason: string, task?: FailingTask): void {
      poll();
      sender.reportFailing(reason, task);
    },

    reportHealthy(task?: FailingTask): void {
      poll();
      sender.reportHealthy(task);
    },

    stats(): ExporterStats {
      poll();
      return {
        ...sender.stats(),
        sent: sent.current,
        lost: dropped.current + gone.current,
        retention_held: status()?.isHeldFor ?? false,
      };
    },
  };
}
