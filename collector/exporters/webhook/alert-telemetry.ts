import type { ExporterStats } from '../../../generated/reader-answers.js';
import type { Counter } from '../../telemetry/meters.js';
import { SenderTelemetry, type SenderTelemetryOptions } from '../sending/sender-telemetry.js';
import { ALERT_KINDS, type AlertCounts, type AlertKind, totalOf } from './alert.js';
import type { AlertQueue } from './alert-queue.js';

const OUTCOMES = ['sent', 'failed'] as const;
type AlertOutcome = (typeof OUTCOMES)[number];

/** Metrics and status of a webhook. */
export class AlertTelemetry extends SenderTelemetry {
  /** `queue` is undefined while the webhook does not run. */
  constructor(options: SenderTelemetryOptions, queue: () => Pick<AlertQueue, 'pending' | 'oldestAt'> | undefined) {
    super(options, () => {
      const { pending, oldestAt } = queue() ?? {};
      const oldestAtMs = oldestAt === undefined ? undefined : Date.parse(oldestAt);
      return pending === undefined ? undefined : { waiting: pending, oldestAtMs };
    });
  }

  override start(): void {
    super.start();
    // Counters start at zero before the first alert.
    for (const kind of ALERT_KINDS) for (const outcome of OUTCOMES) this.#counter(kind, outcome);
  }

  countSent(alerts: AlertCounts): void {
    this.countAttempt('success');
    this.#count('sent', alerts);
    this.reportHealthy();
  }

  countRetry(reason: string): void {
    this.countAttempt('retry');
    this.reportFailing(reason);
  }

  /** Counts alerts that are given up; `reason` must not contain event data. */
  countDropped(alerts: AlertCounts, reason: string): void {
    this.countAttempt('failure');
    this.#count('failed', alerts);
    this.reportFailing(reason);
    this.options.logger.error({ alerts: totalOf(alerts), reason }, 'alerts were not sent and are given up');
  }

  stats(): ExporterStats {
    return {
      ...this.senderStats(),
      sent: this.#counted('sent'),
      lost: this.#counted('failed'),
      retention_held: false,
    };
  }

  #counter(kind: AlertKind, outcome: AlertOutcome): Counter {
    const { meters, id } = this.options;
    return meters.counter('faultline_exporter_alerts', { exporter: id, kind, outcome });
  }

  #count(outcome: AlertOutcome, alerts: AlertCounts): void {
    for (const kind of ALERT_KINDS) if (alerts[kind] > 0) this.#counter(kind, outcome).add(alerts[kind]);
  }

  #counted(outcome: AlertOutcome): number {
    return ALERT_KINDS.reduce((sum, kind) => sum + this.#counter(kind, outcome).current, 0);
  }
}
