import type { FollowStatus } from '../../../core/storage/following/record-follower.js';
import type { ExporterStats } from '../../../generated/reader-answers.js';
import type { Counter } from '../../telemetry/meters.js';
import { type FailingTask, SenderTelemetry, type SenderTelemetryOptions } from './sender-telemetry.js';

const LOG_INTERVAL_MS = 10_000;

/** Metrics and status of an exporter that follows the record. */
export class ExportTelemetry extends SenderTelemetry {
  readonly #status: () => FollowStatus | undefined;
  readonly #sentCounter: Counter;
  readonly #droppedCounter: Counter;
  readonly #removedCounter: Counter;
  #seen = { removed: 0, unreadable: 0 };
  #nextLogAtMs = 0;

  /** `status` is undefined while the exporter does not follow. */
  constructor(options: SenderTelemetryOptions, status: () => FollowStatus | undefined) {
    super(options, () => {
      const { waiting, oldestMicros } = status() ?? {};
      return waiting === undefined ? undefined : { waiting, oldestAtMs: oldestMicros && oldestMicros / 1000 };
    });
    this.#status = status;
    const { id, meters } = options;
    const labels = { exporter: id };
    this.#sentCounter = meters.counter('faultline_exporter_sent_log_records', labels);
    this.#droppedCounter = meters.counter('faultline_exporter_send_failed_log_records', labels);
    this.#removedCounter = meters.counter('faultline_exporter_enqueue_failed_log_records', labels);
  }

  override start(): void {
    super.start();
    const { id, meters } = this.options;
    const isHeld = (): number => (this.#status()?.isHeldFor ? 1 : 0);
    this.unregister.push(meters.gauge('faultline_exporter_retention_held', { exporter: id }, isHeld));
    this.poll();
  }

  countSent(events: number): void {
    this.#sentCounter.add(events);
  }

  /** Counts events that are given up; `reason` must not contain event data. */
  countDropped(events: number, reason: string): void {
    this.#droppedCounter.add(events);
    this.recordError(reason);
    if (performance.now() < this.#nextLogAtMs) return;
    this.#nextLogAtMs = performance.now() + LOG_INTERVAL_MS;
    this.options.logger.error({ events, lost: this.#droppedCounter.current, reason }, 'events were dropped unsent');
  }

  override reportFailing(reason: string, task?: FailingTask): void {
    this.poll();
    super.reportFailing(reason, task);
  }

  override reportHealthy(task?: FailingTask): void {
    this.poll();
    super.reportHealthy(task);
  }

  /** Counts newly removed and unreadable events. */
  poll(): void {
    const { removed, unreadable } = this.#status() ?? this.#seen;
    const [gone, unread] = [removed - this.#seen.removed, unreadable - this.#seen.unreadable];
    this.#seen = { removed, unreadable };
    if (unread > 0) this.countDropped(unread, 'their raw lines could not be read');
    if (gone <= 0) return;
    this.#removedCounter.add(gone);
    this.recordError('retention removed events before they were sent');
    this.options.logger.error({ events: gone }, 'retention removed events before they were sent');
  }

  stats(): ExporterStats {
    this.poll();
    return {
      ...this.senderStats,
      sent: this.#sentCounter.current,
      lost: this.#droppedCounter.current + this.#removedCounter.current,
      retention_held: this.#status()?.isHeldFor ?? false,
    };
  }
}
