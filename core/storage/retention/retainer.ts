import type { DataFolder } from '../files/store-files.js';
import { WriteFailureStreak } from '../index/checkpoint/write-failures.js';
import { describeRemoval, type IssueRemoval, NOTHING_LOST } from '../index/content/removal.js';
import type { IssueIndex } from '../index/issue-index.js';
import { type ArrivalClock, hourOfMicros, MICROS_PER_HOUR } from '../record/partitions/arrival-clock.js';
import { type ChosenRemoval, chooseRemoval, type RetentionBounds } from './choose-removal.js';
import type { RecordAges } from './record-ages.js';
import { createHourMeter, findRestored, type RecordHour } from './record-hours.js';
import { removePartitions } from './remove-partitions.js';
import type { RetentionLedger } from './retention-ledger.js';

/** The caller closes all of these. */
interface RetainerOptions extends DataFolder {
  ledger: RetentionLedger;
  index: Pick<IssueIndex, 'content' | 'remove' | 'checkpoint'>;
  clock: Pick<ArrivalClock, 'holdAbove' | 'now'>;
  ages: RecordAges;
  /** True if no append or rollback is in progress. */
  isWriterIdle: () => boolean;
  bounds: RetentionBounds;
  /** Returns the part of a removal that may be done now; called on every run, even without a removal. Default: all of it. */
  holdBack?: (chosen: ChosenRemoval | undefined) => ChosenRemoval | undefined;
  intervalMs: number;
  /** Wall clock in milliseconds. */
  nowMs: () => number;
  /** Called with the first of a series of failures, and once with `RETENTION_RESTORED`. */
  onFault: (fault: Error) => void;
}

/** Delay of the first run, so that it does not slow the start. */
const FIRST_RUN_MS = 1_000;

/**
 * Removes hours that exceed the bounds from the record and the index, on a timer. Retries failures on the next run. `close` stops
 * between two removals, and is idempotent.
 */
export class Retainer {
  readonly #options: RetainerOptions;
  readonly #hoursFrom: ReturnType<typeof createHourMeter>;
  readonly #failures: WriteFailureStreak;
  readonly #timers: NodeJS.Timeout[] = [];
  #running: Promise<void> = Promise.resolve();
  #isBusy = false;
  #isClosed = false;
  #hasCheckedRestored = false;

  constructor(options: RetainerOptions) {
    this.#options = options;
    this.#hoursFrom = createHourMeter(options);
    this.#failures = new WriteFailureStreak(options.onFault);
    const { bounds, intervalMs, ledger } = options;
    const isBounded = bounds.maxAgeMs > 0 || bounds.maxBytes > 0;
    // Without bounds a removal may still be unfinished, or partitions restored.
    if (!isBounded && ledger.totals.beforeMicros === 0) return;
    this.#timers.push(setTimeout(() => this.#tick(), Math.min(FIRST_RUN_MS, intervalMs)));
    this.#timers.push(setInterval(() => this.#tick(), intervalMs));
    for (const timer of this.#timers) timer.unref();
  }

  /** Removes everything that is due, after the current run; rejects if that fails. */
  run(): Promise<void> {
    const step = this.#running.then(async () => {
      if (this.#isClosed) return;
      this.#isBusy = true;
      try {
        await this.#step();
        this.#failures.succeeded();
      } finally {
        this.#isBusy = false;
      }
    });
    this.#running = step.catch(() => undefined);
    return step;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#running;
  }

  #tick(): void {
    if (this.#isBusy || this.#isClosed) return;
    this.run().catch((error: unknown) => this.#failures.failed(error));
  }

  /** Continues after failures: a folder without permissions must not let the disk fill. */
  async #step(): Promise<void> {
    const errors: unknown[] = [];
    const attempt = async (work: () => Promise<void>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        errors.push(error);
      }
    };
    await attempt(() => this.#reportRestored());
    await attempt(() => this.#finishPending());
    await attempt(() => this.#removeDue());
    await attempt(() => this.#compact());
    await attempt(() => this.#options.ages.save(hourOfMicros(this.#options.ledger.totals.beforeMicros)));
    if (errors.length > 0) throw errors[0];
  }

  async #reportRestored(): Promise<void> {
    if (this.#hasCheckedRestored) return;
    const fault = await findRestored(this.#options, this.#options.ledger);
    this.#hasCheckedRestored = true;
    if (fault !== undefined) this.#options.onFault(fault);
  }

  async #finishPending(): Promise<void> {
    const { files, directory, ledger } = this.#options;
    if (ledger.pending.length === 0) return;
    await removePartitions(files, directory, ledger.pending, ledger.totals.beforeMicros);
    await ledger.finish();
  }

  async #removeDue(): Promise<void> {
    const { ages, bounds, clock, ledger, holdBack = (chosen) => chosen } = this.#options;
    if (bounds.maxAgeMs <= 0 && bounds.maxBytes <= 0) return;
    while (!this.#isClosed) {
      const hours = await this.#hoursFrom(hourOfMicros(ledger.totals.beforeMicros));
      const aged = hours.map((hour) => ({ ...hour, ageMs: ages.ageMs(hour.hour) }));
      const chosen = holdBack(chooseRemoval(aged, bounds, this.#closedBeforeMicros()));
      if (chosen === undefined) return;
      const beforeMicros = ((chosen.hours.at(-1) ?? 0) + 1) * MICROS_PER_HOUR;
      // Synchronous with the check of the writer: later events get later times even if the clock goes back.
      clock.holdAbove(beforeMicros - 1);
      if (!(await this.#remove(hours, chosen, beforeMicros))) return;
    }
  }

  /** Returns a timestamp; nothing more arrives in the hours before its own. */
  #closedBeforeMicros(): number {
    const { index, clock, isWriterIdle } = this.#options;
    return isWriterIdle() ? clock.now() : index.content.lastReceivedAtMicros;
  }

  /** Returns false if the index does not apply the removal. */
  async #remove(
    hours: readonly RecordHour[],
    { hours: chosen, reason }: ChosenRemoval,
    beforeMicros: number,
  ): Promise<boolean> {
    const { index, ledger, nowMs } = this.#options;
    const partitions = hours.filter(({ hour }) => chosen.includes(hour)).flatMap((hour) => hour.partitions);
    const isRemoved = await index.remove({
      beforeMicros,
      isCancelled: () => this.#isClosed,
      writeDown: (lost) => ledger.add({ ...lost, beforeMicros, partitions, reason, removedAtMs: nowMs() }),
    });
    if (!isRemoved) return false;
    // Files first: on a full disk that frees space for the checkpoint, which is written even if they cannot be deleted.
    try {
      await this.#finishPending();
    } finally {
      await index.checkpoint();
    }
    return true;
  }

  async #compact(): Promise<void> {
    const { index, ledger } = this.#options;
    const removed = function* (): Generator<IssueRemoval> {
      for (const issue of index.content.issues.inOrder) {
        if (issue.removed > 0) yield describeRemoval(issue, NOTHING_LOST);
      }
    };
    const issues = index.content.issues.inOrder.reduce((sum, issue) => sum + (issue.removed > 0 ? 1 : 0), 0);
    if (this.#isClosed || !ledger.isWorthCompacting(issues)) return;
    await index.checkpoint();
    await ledger.compact(removed());
  }
}
