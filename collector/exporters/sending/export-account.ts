import type { Logger } from 'pino';
import type { ExporterStats } from '../../../core/reader.js';
import type { FollowStatus } from '../../../core/storage/following/record-follower.js';
import type { ComponentStates } from '../../telemetry/component-states.js';
import type { Counter, Meters } from '../../telemetry/meters.js';

/** What an account is kept with. */
export interface ExportAccountOptions {
  /** Component id, the `exporter` label. */
  readonly id: string;
  readonly destination: string;
  readonly meters: Meters;
  readonly states: ComponentStates;
  readonly logger: Logger;
  /** How far the exporter is; undefined while it does not follow. */
  readonly status: () => FollowStatus | undefined;
  /** Wall clock in milliseconds, default `Date.now`. */
  readonly nowMs?: () => number;
}

/** How a request ended. */
export type AttemptOutcome = 'success' | 'retry' | 'failure';

/** Lines about what is lost come as often at most. */
const LOG_INTERVAL_MS = 10_000;

/** What an exporter that sends tells of itself: counters, gauges, its state, and its part of `Stats`. `open` once it follows, `close` when it ends. */
export class ExportAccount {
  readonly #options: ExportAccountOptions;
  readonly #sent: Counter;
  readonly #failed: Counter;
  readonly #removed: Counter;
  readonly #attempts: Readonly<Record<AttemptOutcome, Counter>>;
  readonly #takeAway: (() => void)[] = [];
  #counts = { sent: 0, failed: 0, inFlight: 0 };
  #seen = { removed: 0, unreadable: 0 };
  #lastError: ExporterStats['last_error'] = null;
  #isFailing = false;
  #nextLogAtMs = 0;

  constructor(options: ExportAccountOptions) {
    this.#options = options;
    const { id, meters } = options;
    const labels = { exporter: id };
    const attempts = (outcome: AttemptOutcome): Counter =>
      meters.counter('faultline_exporter_send_attempts', { ...labels, outcome });
    this.#sent = meters.counter('faultline_exporter_sent_log_records', labels);
    this.#failed = meters.counter('faultline_exporter_send_failed_log_records', labels);
    this.#removed = meters.counter('faultline_exporter_enqueue_failed_log_records', labels);
    this.#attempts = { success: attempts('success'), retry: attempts('retry'), failure: attempts('failure') };
  }

  open(): void {
    const { id, meters } = this.#options;
    const labels = { exporter: id };
    this.#takeAway.push(
      meters.gauge('faultline_exporter_queue_size', labels, () => this.#options.status()?.waiting ?? 0),
      meters.gauge('faultline_exporter_queue_age_seconds', labels, () => this.#oldestAgeMs / 1000),
      meters.gauge('faultline_exporter_in_flight_requests', labels, () => this.#counts.inFlight),
      meters.gauge('faultline_exporter_retention_held', labels, () => (this.#options.status()?.isHeldFor ? 1 : 0)),
    );
    this.#options.states.report('exporter', id, 'StatusOK');
    this.look();
  }

  close(): void {
    for (const takeAway of this.#takeAway.splice(0)) takeAway();
  }

  /** Counts a request while it runs. */
  async inFlight<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    this.#counts.inFlight += 1;
    try {
      return await request();
    } finally {
      this.#counts.inFlight -= 1;
    }
  }

  attempted(outcome: AttemptOutcome): void {
    this.#attempts[outcome].add();
  }

  /** So many events were taken. */
  sent(events: number): void {
    this.#counts.sent += events;
    this.#sent.add(events);
  }

  /** So many events will not be sent, for a reason that holds nothing of them. */
  lost(events: number, reason: string): void {
    this.#counts.failed += events;
    this.#failed.add(events);
    this.#note(reason);
    if (performance.now() < this.#nextLogAtMs) return;
    this.#nextLogAtMs = performance.now() + LOG_INTERVAL_MS;
    this.#options.logger.error(
      { events, lost: this.#counts.failed, reason },
      'events were not sent and are passed over',
    );
  }

  /** It does not get on, and tries again. */
  failing(reason: string): void {
    this.look();
    this.#note(reason);
    this.#options.states.report('exporter', this.#options.id, 'StatusRecoverableError', reason);
    if (!this.#isFailing) this.#options.logger.warn({ reason }, 'sending fails; it is tried again');
    this.#isFailing = true;
  }

  /** It gets on. */
  well(): void {
    this.look();
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#options.states.report('exporter', this.#options.id, 'StatusOK');
    this.#options.logger.info('sending goes on');
  }

  /** Counts what retention removed and what could not be read since the last look. */
  look(): void {
    const { removed, unreadable } = this.#options.status() ?? this.#seen;
    const [gone, unread] = [removed - this.#seen.removed, unreadable - this.#seen.unreadable];
    this.#seen = { removed, unreadable };
    if (unread > 0) this.lost(unread, 'their raw lines could not be read');
    if (gone <= 0) return;
    this.#removed.add(gone);
    this.#note('retention removed events before they were sent');
    this.#options.logger.error({ events: gone }, 'retention removed events before they were sent');
  }

  stats(): ExporterStats {
    this.look();
    const status = this.#options.status();
    return {
      destination: this.#options.destination,
      waiting: status?.waiting ?? 0,
      oldest_age_ms: this.#oldestAgeMs,
      sent: this.#counts.sent,
      lost: this.#counts.failed + this.#seen.removed,
      retention_held: status?.isHeldFor ?? false,
      failing: this.#isFailing,
      last_error: this.#lastError,
    };
  }

  get #nowMs(): number {
    return (this.#options.nowMs ?? Date.now)();
  }

  get #oldestAgeMs(): number {
    const oldestMicros = this.#options.status()?.oldestMicros;
    return oldestMicros === undefined ? 0 : Math.max(0, Math.round(this.#nowMs - oldestMicros / 1000));
  }

  #note(message: string): void {
    this.#lastError = { message, at: new Date(this.#nowMs).toISOString() };
  }
}
