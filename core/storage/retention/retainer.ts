import { FailureStreak } from '../files/failure-streak.js';
import type { DataFolder } from '../files/store-files.js';
import { hasRemoved, type IssueState } from '../index/content/issue-state.js';
import { describeRemoval, type IssueRemoval, NOTHING_LOST } from '../index/content/removal.js';
import type { IssueIndex } from '../index/issue-index.js';
import { type ArrivalClock, hourOfMicros, MICROS_PER_HOUR } from '../record/partitions/arrival-clock.js';
import { type ChosenRemoval, chooseRemoval, type RetentionBounds } from './choose-removal.js';
import { measurePartitions } from './measure-hours.js';
import type { RecordAges } from './record-ages.js';
import type { RecordHours } from './record-hours.js';
import { removePartitions } from './remove-partitions.js';
import type { RetentionLedger } from './retention-ledger.js';

/** The caller closes all of these. */
interface RetainerOptions extends DataFolder {
  ledger: RetentionLedger;
  index: Pick<IssueIndex, 'content' | 'remove' | 'checkpoint'>;
  clock: Pick<ArrivalClock, 'holdAbove' | 'now'>;
  ages: RecordAges;
  hours: Pick<RecordHours, 'sizes' | 'survey' | 'forgetRemoved'>;
  /** True if no append or rollback is in progress. */
  isWriterIdle: () => boolean;
  bounds: RetentionBounds;
  /** Returns the part of a removal that may be done now; called on every run, even without a removal. Default: all of it. */
  holdBack?: (chosen: ChosenRemoval | undefined) => ChosenRemoval | undefined;
  /** Removes what else ended before a time, in milliseconds since the epoch. */
  removeBefore?: (beforeMs: number) => Promise<void>;
  intervalMs: number;
  /** Wall clock in milliseconds. */
  nowMs: () => number;
  /** Called with the first of a series of failures. */
  onFault: (fault: Error) => void;
}

/** Delay of the first run, so that it does not slow the start. */
const FIRST_RUN_MS = 1_000;

/** Removes hours that exceed the bounds, on a timer once it is started; `close` stops between two removals. */
export class Retainer {
  readonly #options: RetainerOptions;
  readonly #failures: FailureStreak;
  #running: Promise<void> = Promise.resolve();
  #isBusy = false;
  #isClosed = false;
  #firstRun: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RetainerOptions) {
    this.#options = options;
    this.#failures = new FailureStreak(options.onFault);
  }

  /** Runs it from now on, if there are bounds or a removal may be unfinished. */
  start(): void {
    const { bounds, ledger, intervalMs } = this.#options;
    const isBounded = bounds.maxAgeMs > 0 || bounds.maxBytes > 0;
    // Without bounds a removal may still be unfinished, or partitions restored.
    if (!isBounded && ledger.totals.beforeMicros === 0) return;
    this.#firstRun = setTimeout(() => this.#tick(), Math.min(FIRST_RUN_MS, intervalMs)).unref();
    this.#timer = setInterval(() => this.#tick(), intervalMs).unref();
  }

  /** Removes everything that is due, after the current run; rejects if that fails. */
  run(): Promise<void> {
    const step = this.#running.then(async () => {
      if (this.#isClosed) return;
      this.#isBusy = true;
      try {
        await this.#runOnce();
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
    clearTimeout(this.#firstRun);
    clearInterval(this.#timer);
    await this.#running;
  }

  #tick(): void {
    if (this.#isBusy || this.#isClosed) return;
    this.run().catch((error: unknown) => this.#failures.failed(error));
  }

  /** Continues after failures: a folder without permissions must not let the disk fill. */
  async #runOnce(): Promise<void> {
    const { hours, bounds, ages, ledger, nowMs, removeBefore } = this.#options;
    const errors: unknown[] = [];
    const attempt = async (work: () => Promise<void>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        errors.push(error);
      }
    };
    // Before anything is removed: by size, only what the disk really holds may count.
    await hours.survey();
    await attempt(() => this.#finishPending());
    await attempt(() => this.#removeDue());
    await attempt(() => this.#compact());
    if (bounds.maxAgeMs > 0) await attempt(async () => removeBefore?.(nowMs() - bounds.maxAgeMs));
    await attempt(() => ages.save(hourOfMicros(ledger.totals.beforeMicros)));
    if (errors.length > 0) throw errors[0];
  }

  async #finishPending(): Promise<void> {
    const { files, directory, ledger } = this.#options;
    if (ledger.pending.length === 0) return;
    await removePartitions(files, directory, ledger.pending, ledger.totals.beforeMicros);
    await ledger.finish();
  }

  async #removeDue(): Promise<void> {
    const { bounds, hours, ages, clock, holdBack = (chosen) => chosen } = this.#options;
    if (bounds.maxAgeMs <= 0 && bounds.maxBytes <= 0) return;
    while (!this.#isClosed) {
      const aged = hours.sizes.inOrder.map(({ hour, rawBytes, commitBytes }) => {
        return { hour, bytes: rawBytes + commitBytes, ageMs: ages.ageMs(hour) };
      });
      const chosen = holdBack(chooseRemoval(aged, bounds, this.#closedBeforeMicros()));
      if (chosen === undefined) return;
      const beforeMicros = ((chosen.hours.at(-1) ?? 0) + 1) * MICROS_PER_HOUR;
      // Synchronous with the check of the writer: later events get later times even if the clock goes back.
      clock.holdAbove(beforeMicros - 1);
      if (!(await this.#remove(chosen, beforeMicros))) return;
    }
  }

  /** Returns a timestamp; nothing more arrives in the hours before its own. */
  #closedBeforeMicros(): number {
    const { isWriterIdle, clock, index } = this.#options;
    return isWriterIdle() ? clock.now() : index.content.lastReceivedAtMicros;
  }

  /** Returns false if the index does not apply the removal. */
  async #remove({ hours: chosen, reason }: ChosenRemoval, beforeMicros: number): Promise<boolean> {
    const { files, directory, index, ledger, hours, nowMs } = this.#options;
    const partitions = await measurePartitions({ files, directory }, chosen);
    const isRemoved = await index.remove({
      beforeMicros,
      isCancelled: () => this.#isClosed,
      writeDown: (lost) => ledger.add({ ...lost, beforeMicros, partitions, reason, removedAtMs: nowMs() }),
    });
    if (!isRemoved) return false;
    hours.forgetRemoved();
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
    const issues = index.content.issues.inOrder.reduce((sum, issue) => sum + (hasRemoved(issue) ? 1 : 0), 0);
    if (this.#isClosed || !ledger.isWorthCompacting(issues)) return;
    await index.checkpoint();
    await ledger.compact(removalsOf(index.content.issues.inOrder));
  }
}

function* removalsOf(issues: readonly IssueState[]): Generator<IssueRemoval> {
  for (const issue of issues) if (hasRemoved(issue)) yield describeRemoval(issue, NOTHING_LOST);
}
