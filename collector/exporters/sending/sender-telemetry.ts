import type { ExporterStats } from '../../../generated/reader-answers.js';
import type { Internal } from '../../component/built-in.js';

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

/** Metrics and status of an exporter that sends, between `start` and `stop`. `queue` is undefined while it does not run. */
export function createSenderTelemetry(options: SenderTelemetryOptions, queue: () => SenderQueue | undefined) {
  const { id, destination, meters, states, logger } = options;
  const labels = { exporter: id };
  const attempts = (outcome: AttemptOutcome) =>
    meters.counter('faultline_exporter_send_attempts', { ...labels, outcome });
  const counters = { success: attempts('success'), retry: attempts('retry'), failure: attempts('failure') };
  const ends: (() => void)[] = [];
  let inFlight = 0;
  let lastError: ExporterStats['last_error'] = null;
  /** Reasons of the tasks that fail now. */
  const failures = new Map<FailingTask, string>();

  const waiting = (): number => queue()?.waiting ?? 0;
  const oldestAgeMs = (): number => {
    const oldestAtMs = queue()?.oldestAtMs;
    return oldestAtMs === undefined ? 0 : Math.max(0, Math.round(Date.now() - oldestAtMs));
  };

  /** Sets the last error; `reason` must not contain event data. */
  function recordError(reason: string): void {
    lastError = { message: reason, at: new Date().toISOString() };
  }

  return {
    recordError,

    start(): void {
      ends.push(
        meters.gauge('faultline_exporter_queue_size', labels, waiting),
        meters.gauge('faultline_exporter_queue_age_seconds', labels, () => oldestAgeMs() / 1000),
        meters.gauge('faultline_exporter_in_flight_requests', labels, () => inFlight),
      );
      if (failures.size === 0) states.report('exporter', id, 'StatusOK');
    },

    stop(): void {
      for (const end of ends.splice(0)) end();
    },

    /** Counts a request while it runs. */
    async trackInFlight<Result>(request: () => Promise<Result>): Promise<Result> {
      inFlight += 1;
      try {
        return await request();
      } finally {
        inFlight -= 1;
      }
    },

    countAttempt(outcome: AttemptOutcome): void {
      counters[outcome].add();
    },

    reportFailing(reason: string, task: FailingTask = 'sending'): void {
      recordError(reason);
      states.report('exporter', id, 'StatusRecoverableError', reason);
      if (failures.size === 0) logger.warn({ reason }, 'sending fails');
      failures.set(task, reason);
    },

    /** Marks a task as healthy; the exporter is healthy once no task fails. */
    reportHealthy(task: FailingTask = 'sending'): void {
      if (!failures.delete(task)) return;
      const [reason] = failures.values();
      if (reason !== undefined) {
        states.report('exporter', id, 'StatusRecoverableError', reason);
        return;
      }
      states.report('exporter', id, 'StatusOK');
      logger.info('sending resumed');
    },

    stats(): Omit<ExporterStats, 'sent' | 'lost' | 'retention_held'> {
      return {
        destination,
        waiting: waiting(),
        oldest_age_ms: oldestAgeMs(),
        failing: failures.size > 0,
        last_error: lastError,
      };
    },
  };
}
