import type { ExporterStats } from '../../../generated/reader-answers.js';
import type { Counter } from '../../telemetry/meters.js';
import { SenderAccount, type SenderAccountOptions } from '../sending/sender-account.js';
import { ALERT_KINDS, type AlertCounts, type AlertKind, totalOf } from './alert.js';

/** What was not told yet. */
interface Untold {
  readonly untold: number;
  /** RFC 3339. */
  readonly oldestAt: string | undefined;
}

const OUTCOMES = ['sent', 'failed'] as const;
type AlertOutcome = (typeof OUTCOMES)[number];

/** What a webhook tells of the alerts that it sends or gives up. */
export class AlertAccount extends SenderAccount {
  readonly #options: SenderAccountOptions;

  /** `book` is undefined while the webhook does not run. */
  constructor(options: SenderAccountOptions, book: () => Untold | undefined) {
    super(options, () => queueOf(book()));
    this.#options = options;
  }

  override open(): void {
    super.open();
    // So that they are there before the first alert.
    for (const kind of ALERT_KINDS) for (const outcome of OUTCOMES) this.#counter(kind, outcome);
  }

  sent(alerts: AlertCounts): void {
    this.attempted('success');
    this.#count('sent', alerts);
    this.well();
  }

  /** It is tried again. */
  retried(reason: string): void {
    this.attempted('retry');
    this.failing(reason);
  }

  /** So many alerts will not be told, for a reason that holds nothing of them. */
  failed(alerts: AlertCounts, reason: string): void {
    this.attempted('failure');
    this.#count('failed', alerts);
    this.failing(reason);
    this.#options.logger.error({ alerts: totalOf(alerts), reason }, 'alerts were not sent and are given up');
  }

  stats(): ExporterStats {
    return {
      ...this.senderStats,
      sent: this.#counted('sent'),
      lost: this.#counted('failed'),
      retention_held: false,
    };
  }

  #count(outcome: AlertOutcome, alerts: AlertCounts): void {
    for (const kind of ALERT_KINDS) if (alerts[kind] > 0) this.#counter(kind, outcome).add(alerts[kind]);
  }

  #counted(outcome: AlertOutcome): number {
    return ALERT_KINDS.reduce((sum, kind) => sum + this.#counter(kind, outcome).current, 0);
  }

  #counter(kind: AlertKind, outcome: AlertOutcome): Counter {
    return this.#options.meters.counter('faultline_exporter_alerts', { exporter: this.#options.id, kind, outcome });
  }
}

function queueOf(book: Untold | undefined) {
  if (book === undefined) return undefined;
  const { untold, oldestAt } = book;
  return { waiting: untold, oldestAtMs: oldestAt === undefined ? undefined : Date.parse(oldestAt) };
}
