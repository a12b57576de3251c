import type { ExporterStats } from '../../../generated/reader-answers.js';
import { createSenderTelemetry, type SenderTelemetryOptions } from '../sending/sender-telemetry.js';
import { ALERT_KINDS, type AlertCounts, type AlertKind, totalOf } from './alert.js';
import type { AlertQueue } from './alert-queue.js';

const OUTCOMES = ['sent', 'failed'] as const;
type AlertOutcome = (typeof OUTCOMES)[number];

/** Metrics and status of a webhook. */
export type AlertTelemetry = ReturnType<typeof createAlertTelemetry>;

/** Creates them; `queue` is undefined while the webhook does not run. */
export function createAlertTelemetry(
  options: SenderTelemetryOptions,
  queue: () => Pick<AlertQueue, 'pending' | 'oldestAt'> | undefined,
) {
  const { id, meters, logger } = options;
  const sender = createSenderTelemetry(options, () => {
    const { pending, oldestAt } = queue() ?? {};
    const oldestAtMs = oldestAt === undefined ? undefined : Date.parse(oldestAt);
    return pending === undefined ? undefined : { waiting: pending, oldestAtMs };
  });

  const counter = (kind: AlertKind, outcome: AlertOutcome) =>
    meters.counter('faultline_exporter_alerts', { exporter: id, kind, outcome });
  const count = (outcome: AlertOutcome, alerts: AlertCounts): void => {
    for (const kind of ALERT_KINDS) if (alerts[kind] > 0) counter(kind, outcome).add(alerts[kind]);
  };
  const counted = (outcome: AlertOutcome): number =>
    ALERT_KINDS.reduce((sum, kind) => sum + counter(kind, outcome).current, 0);

  return {
    ...sender,

    start(): void {
      sender.start();
      // Counters start at zero before the first alert.
      for (const kind of ALERT_KINDS) for (const outcome of OUTCOMES) counter(kind, outcome);
    },

    countSent(alerts: AlertCounts): void {
      sender.countAttempt('success');
      count('sent', alerts);
      sender.reportHealthy();
    },

    countRetry(reason: string): void {
      sender.countAttempt('retry');
      sender.reportFailing(reason);
    },

    /** Counts alerts that are given up; `reason` must not contain event data. */
    countDropped(alerts: AlertCounts, reason: string): void {
      sender.countAttempt('failure');
      count('failed', alerts);
      sender.reportFailing(reason);
      logger.error({ alerts: totalOf(alerts), reason }, 'alerts were not sent and are given up');
    },

    stats: (): ExporterStats => ({
      ...sender.stats(),
      sent: counted('sent'),
      lost: counted('failed'),
      retention_held: false,
    }),
  };
}
