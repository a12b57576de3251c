import type { Logger } from 'pino';
import type { ExporterStats } from '../../../core/reader.js';
import type { ComponentStates } from '../../telemetry/component-states.js';
import type { Counter, Meters } from '../../telemetry/meters.js';
import { ALERT_KINDS, type AlertCounts, type AlertKind, addCounts, NO_ALERTS, totalOf } from './alert.js';

/** What the account is kept with. */
export interface AlertAccountOptions {
  /** Component id, the `exporter` label. */
  readonly id: string;
  /** For people; never the whole address, which may be a secret. */
  readonly destination: string;
  readonly meters: Meters;
  readonly states: ComponentStates;
  readonly logger: Logger;
  /** What was not told yet; undefined while the webhook does not run. */
  readonly book: () => { readonly untold: number; readonly oldestAt: string | undefined } | undefined;
}

type AlertOutcome = 'sent' | 'failed';
type AttemptOutcome = 'success' | 'retry' | 'failure';

/** What a webhook tells of itself: counters, gauges, its state, and its part of `Stats`. `open` once it runs, `close` when it ends. */
export class AlertAccount {
  readonly #options: AlertAccountOptions;
  readonly #alerts: (kind: AlertKind, outcome: AlertOutcome) => Counter;
  readonly #attempts: (outcome: AttemptOutcome) => Counter;
  readonly #takeAway: (() => void)[] = [];
  #told: Record<AlertOutcome, AlertCounts> = { sent: NO_ALERTS, failed: NO_ALERTS };
  #inFlight = 0;
  #lastError: ExporterStats['last_error'] = null;
  #isFailing = false;

  constructor(options: AlertAccountOptions) {
    this.#options = options;
    const { id, meters } = options;
    this.#alerts = (kind, outcome) => meters.counter('faultline_exporter_alerts', { exporter: id, kind, outcome });
    this.#attempts = (outcome) => meters.counter('faultline_exporter_send_attempts', { exporter: id, outcome });
  }

  open(): void {
    const { id, meters, book, states } = this.#options;
    const labels = { exporter: id };
    // So that they are there before the first alert.
    for (const kind of ALERT_KINDS) for (const outcome of ['sent', 'failed'] as const) this.#alerts(kind, outcome);
    this.#takeAway.push(
      meters.gauge('faultline_exporter_queue_size', labels, () => book()?.untold ?? 0),
      meters.gauge('faultline_exporter_queue_age_seconds', labels, () => this.#oldestAgeMs / 1000),
      meters.gauge('faultline_exporter_in_flight_requests', labels, () => this.#inFlight),
    );
    states.report('exporter', id, 'StatusOK');
  }

  close(): void {
    for (const takeAway of this.#takeAway.splice(0)) takeAway();
  }

  /** Counts a request while it runs. */
  async inFlight<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    this.#inFlight += 1;
    try {
      return await request();
    } finally {
      this.#inFlight -= 1;
    }
  }

  sent(alerts: AlertCounts): void {
    this.#attempts('success').add();
    this.#count('sent', alerts);
    this.well();
  }

  /** It is tried again. */
  retried(reason: string): void {
    this.#attempts('retry').add();
    this.failing(reason);
  }

  /** So many alerts will not be told, for a reason that holds nothing of them. */
  failed(alerts: AlertCounts, reason: string): void {
    this.#attempts('failure').add();
    this.#count('failed', alerts);
    this.failing(reason);
    this.#options.logger.error({ alerts: totalOf(alerts), reason }, 'alerts were not sent and are given up');
  }

  /** It does not get on. */
  failing(reason: string): void {
    const { id, states, logger } = this.#options;
    this.#lastError = { message: reason, at: new Date().toISOString() };
    states.report('exporter', id, 'StatusRecoverableError', reason);
    if (!this.#isFailing) logger.warn({ reason }, 'alerts cannot be sent');
    this.#isFailing = true;
  }

  /** It gets on. */
  well(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#options.states.report('exporter', this.#options.id, 'StatusOK');
    this.#options.logger.info('alerts are sent again');
  }

  stats(): ExporterStats {
    return {
      destination: this.#options.destination,
      waiting: this.#options.book()?.untold ?? 0,
      oldest_age_ms: this.#oldestAgeMs,
      sent: totalOf(this.#told.sent),
      lost: totalOf(this.#told.failed),
      retention_held: false,
      failing: this.#isFailing,
      last_error: this.#lastError,
    };
  }

  get #oldestAgeMs(): number {
    const oldestAt = this.#options.book()?.oldestAt;
    return oldestAt === undefined ? 0 : Math.max(0, Date.now() - Date.parse(oldestAt));
  }

  #count(outcome: AlertOutcome, alerts: AlertCounts): void {
    this.#told[outcome] = addCounts(this.#told[outcome], alerts);
    for (const kind of ALERT_KINDS) if (alerts[kind] > 0) this.#alerts(kind, outcome).add(alerts[kind]);
  }
}
