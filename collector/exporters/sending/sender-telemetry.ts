import type { ExporterStats } from '../../../generated/reader-answers.js';
import type { Internal } from '../../component/built-in.js';
import type { Counter } from '../../telemetry/meters.js';

export interface SenderTelemetryOptions extends Pick<Internal, 'meters' | 'states' | 'logger'> {
  /** Component id, the `exporter` label. */
  readonly id: string;
  /** Shown to people; without secret parts of the address. */
  readonly destination: string;
}

interface SenderQueue {
  readonly waiting: number;
  /** Time of the oldest one, milliseconds since the epoch; undefined if the queue is empty. */
  readonly oldestAtMs: number | undefined;
}

type AttemptOutcome = 'success' | 'retry' | 'failure';

/** Tasks that can fail independently: sending, saving the position, reading changes. */
export type FailingTask = 'sending' | 'saving' | 'watching';

/** Metrics and status of an exporter that sends, between `start` and `stop`. */
export class SenderTelemetry {
  protected readonly options: SenderTelemetryOptions;
  readonly #queue: () => SenderQueue | undefined;
  readonly #attempts: Readonly<Record<AttemptOutcome, Counter>>;
  #endGauges: readonly (() => void)[] = [];
  #inFlight = 0;
  #lastError: ExporterStats['last_error'] = null;
  /** Reasons of the tasks that fail now. */
  readonly #failures = new Map<FailingTask, string>();

  /** `queue` is undefined while it does not run. */
  constructor(options: SenderTelemetryOptions, queue: () => SenderQueue | undefined) {
    this.options = options;
    this.#queue = queue;
    const attempts = (outcome: AttemptOutcome) =>
      options.meters.counter('faultline_exporter_send_attempts', { exporter: options.id, outcome });
    this.#attempts = { success: attempts('success'), retry: attempts('retry'), failure: attempts('failure') };
  }

  start(): void {
    const { id, meters, states } = this.options;
    const labels = { exporter: id };
    this.#endGauges = [
      meters.gauge('faultline_exporter_queue_size', labels, () => this.#waiting),
      meters.gauge('faultline_exporter_queue_age_seconds', labels, () => this.#oldestAgeMs / 1000),
      meters.gauge('faultline_exporter_in_flight_requests', labels, () => this.#inFlight),
    ];
    if (this.#failures.size === 0) states.report('exporter', id, 'StatusOK');
  }

  stop(): void {
    for (const end of this.#endGauges) end();
    this.#endGauges = [];
  }

  /** Sets the last error; `reason` must not contain event data. */
  recordError(reason: string): void {
    this.#lastError = { message: reason, at: new Date().toISOString() };
  }

  /** Counts a request while it runs. */
  async trackInFlight<Result>(request: () => Promise<Result>): Promise<Result> {
    this.#inFlight += 1;
    try {
      return await request();
    } finally {
      this.#inFlight -= 1;
    }
  }

  countAttempt(outcome: AttemptOutcome): void {
    this.#attempts[outcome].add();
  }

  reportFailing(reason: string, task: FailingTask = 'sending'): void {
    const { id, states, logger } = this.options;
    this.recordError(reason);
    states.report('exporter', id, 'StatusRecoverableError', reason);
    if (this.#failures.size === 0) logger.warn({ reason }, 'sending fails');
    this.#failures.set(task, reason);
  }

  /** Marks a task as healthy; the exporter is healthy once no task fails. */
  reportHealthy(task: FailingTask = 'sending'): void {
    if (!this.#failures.delete(task)) return;
    const { id, states, logger } = this.options;
    const [reason] = this.#failures.values();
    if (reason !== undefined) {
      states.report('exporter', id, 'StatusRecoverableError', reason);
      return;
    }
    states.report('exporter', id, 'StatusOK');
    logger.info('sending resumed');
  }

  protected senderStats(): Omit<ExporterStats, 'sent' | 'lost' | 'retention_held'> {
    return {
      destination: this.options.destination,
      waiting: this.#waiting,
      oldest_age_ms: this.#oldestAgeMs,
      failing: this.#failures.size > 0,
      last_error: this.#lastError,
    };
  }

  get #waiting(): number {
    return this.#queue()?.waiting ?? 0;
  }

  get #oldestAgeMs(): number {
    const oldestAtMs = this.#queue()?.oldestAtMs;
    return oldestAtMs === undefined ? 0 : Math.max(0, Math.round(Date.now() - oldestAtMs));
  }
}
