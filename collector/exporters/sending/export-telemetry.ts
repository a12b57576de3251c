import type { FollowStatus } from '../../../core/storage/following/record-follower.js';
import type { ExporterStats } from '../../../generated/reader-answers.js';
import type { Counter } from '../../telemetry/meters.js';
import { type FailingTask, SenderTelemetry, type SenderTelemetryOptions } from './sender-telemetry.js';

const LOG_INTERVAL_MS = 10_000;

/** Metrics and status of an exporter that follows the record. */
export class ExportTelemetry extends SenderTelemetry {
  readonly #status: () => FollowStatus | undefined;
  readonly #sent: Counter;
  readonly #dropped: Counter;
  /** Events that retention removed before they were sent. */
  readonly #removed: Counter;
  #endRetentionGauge = (): void => undefined;
  /** What `status` counted at the last look. */
  #counted: Pick<FollowStatus, 'removed' | 'unreadable'> = { removed: 0, unreadable: 0 };
  #nextLogAtMs = 0;

  /** `status` is undefined while the exporter does not follow. */
  constructor(options: SenderTelemetryOptions, status: () => FollowStatus | undefined) {
    super(options, () => {
      const { waiting, oldestMicros } = status() ?? {};
      return waiting === undefined ? undefined : { waiting, oldestAtMs: oldestMicros && oldestMicros / 1000 };
    });
    this.#status = status;
    const { meters, id } = options;
    const labels = { exporter: id };
    this.#sent = meters.counter('faultline_exporter_sent_log_records', labels);
    this.#dropped = meters.counter('faultline_exporter_send_failed_log_records', labels);
    this.#removed = meters.counter('faultline_exporter_enqueue_failed_log_records', labels);
  }

  override start(): void {
    super.start();
    const { meters, id } = this.options;
    const isHeld = () => (this.#status()?.isHeldFor ? 1 : 0);
    this.#endRetentionGauge = meters.gauge('faultline_exporter_retention_held', { exporter: id }, isHeld);
    this.#countLost();
  }

  override stop(): void {
    super.stop();
    this.#endRetentionGauge();
  }

  countSent(events: number): void {
    this.#sent.add(events);
  }

  /** Counts events that are given up; `reason` must not contain event data. */
  countDropped(events: number, reason: string): void {
    this.#dropped.add(events);
    this.recordError(reason);
    if (performance.now() < this.#nextLogAtMs) return;
    this.#nextLogAtMs = performance.now() + LOG_INTERVAL_MS;
    this.options.logger.error({ events, lost: this.#dropped.current, reason }, 'events were dropped unsent');
  }

  override reportFailing(reason: string, task?: FailingTask): void {
    this.#countLost();
    super.reportFailing(reason, task);
  }

  override reportHealthy(task?: FailingTask): void {
    this.#countLost();
    super.reportHealthy(task);
  }

  stats(): ExporterStats {
    this.#countLost();
    return {
      ...this.senderStats(),
      sent: this.#sent.current,
      lost: this.#dropped.current + this.#removed.current,
      retention_held: this.#status()?.isHeldFor ?? false,
    };
  }

  /** Counts newly removed and unreadable events. */
  #countLost(): void {
    const { removed, unreadable } = this.#status() ?? this.#counted;
    const newlyRemoved = removed - this.#counted.removed;
    const newlyUnreadable = unreadable - this.#counted.unreadable;
    this.#counted = { removed, unreadable };
    if (newlyUnreadable > 0) this.countDropped(newlyUnreadable, 'their raw lines could not be read');
    if (newlyRemoved <= 0) return;
    this.#removed.add(newlyRemoved);
    this.recordError('retention removed events before they were sent');
    this.options.logger.error({ events: newlyRemoved }, 'retention removed events before they were sent');
  }
}
