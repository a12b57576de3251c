import type { ExporterStats } from '../../../generated/reader-answers.js';
import type { ComponentContext } from '../../component/component.js';
import type { Counter } from '../../telemetry/meters.js';

export interface SenderTelemetryOptions extends Pick<ComponentContext, 'meters' | 'states' | 'logger'> {
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

const EMPTY: SenderQueue = { waiting: 0, oldestAtMs: undefined };

/** Metrics and status of an exporter that sends, between `start` and `stop`. */
export class SenderTelemetry {
  protected readonly options: SenderTelemetryOptions;
  /** Returns undefined while the exporter does not run. */
  readonly #queue: () => SenderQueue | undefined;
  readonly #attempts: Readonly<Record<AttemptOutcome, Counter>>;
  /** Called by `stop`. */
  protected readonly unregister: (() => void)[] = [];
  #inFlight = 0;
  #lastError: ExporterStats['last_error'] = null;
  /** Reasons of the tasks that fail now. */
  readonly #failures = new Map<FailingTask, string>();

  constructor(options: SenderTelemetryOptions, queue: () => SenderQueue | undefined) {
    this.options = options;
    this.#queue = queue;
    const { id, meters } = options;
    const attempts = (outcome: AttemptOutcome): Counter =>
      meters.counter('faultline_exporter_send_attempts', { exporter: id, outcome });
    this.#attempts = { success: attempts('success'), retry: attempts('retry'), failure: attempts('failure') };
  }

  start(): void {
    const { id, meters, states } = this.options;
    const labels = { exporter: id };
    this.unregister.push(
      meters.gauge('faultline_exporter_queue_size', labels, () => this.#waiting.waiting),
      meters.gauge('faultline_exporter_queue_age_seconds', labels, () => this.#oldestAgeMs / 1000),
      meters.gauge('faultline_exporter_in_flight_requests', labels, () => this.#inFlight),
    );
    if (this.#failures.size === 0) states.report('exporter', id, 'StatusOK');
  }

  stop(): void {
    for (const unregister of this.unregister.splice(0)) unregister();
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

  /** Sets the last error; `reason` must not contain event data. */
  recordError(reason: string): void {
    this.#lastError = { message: reason, at: new Date().toISOString() };
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
    const { id, states, logger } = this.options;
    if (!this.#failures.delete(task)) return;
    const [reason] = this.#failures.values();
    if (reason !== undefined) {
      states.report('exporter', id, 'StatusRecoverableError', reason);
      return;
    }
    states.report('exporter', id, 'StatusOK');
    logger.info('sending resumed');
  }

  protected get senderStats(): Omit<ExporterStats, 'sent' | 'lost' | 'retention_held'> {
    return {
      destination: this.options.destination,
      waiting: this.#waiting.waiting,
      oldest_age_ms: this.#oldestAgeMs,
      failing: this.#failures.size > 0,
      last_error: this.#lastError,
    };
  }

  get #waiting(): SenderQueue {
    return this.#queue() ?? EMPTY;
  }

  get #oldestAgeMs(): number {
    const { oldestAtMs } = this.#waiting;
    return oldestAtMs === undefined ? 0 : Math.max(0, Math.round(Date.now() - oldestAtMs));
  }
}
