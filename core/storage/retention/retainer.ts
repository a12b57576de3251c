import { FailureStreak } from '../files/failure-streak.js';
import type { DataFolder } from '../files/store-files.js';
import { hasRemoved } from '../index/content/issue-state.js';
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

/** Removes hours that exceed the bounds, on a timer; `close` stops between two removals. */
export function startRetainer(options: RetainerOptions) {
  const { files, directory, ledger, index, clock, ages, hours, isWriterIdle, bounds, intervalMs, nowMs } = options;
  const { onFault, holdBack = (chosen) => chosen, removeBefore } = options;
  const failures = new FailureStreak(onFault);
  let running: Promise<void> = Promise.resolve();
  let isBusy = false;
  let isClosed = false;

  /** Removes everything that is due, after the current run; rejects if that fails. */
  function run(): Promise<void> {
    const step = running.then(async () => {
      if (isClosed) return;
      isBusy = true;
      try {
        await runOnce();
        failures.succeeded();
      } finally {
        isBusy = false;
      }
    });
    running = step.catch(() => undefined);
    return step;
  }

  function tick(): void {
    if (isBusy || isClosed) return;
    run().catch((error: unknown) => failures.failed(error));
  }

  /** Continues after failures: a folder without permissions must not let the disk fill. */
  async function runOnce(): Promise<void> {
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
    await attempt(finishPending);
    await attempt(removeDue);
    await attempt(compact);
    if (bounds.maxAgeMs > 0) await attempt(async () => removeBefore?.(nowMs() - bounds.maxAgeMs));
    await attempt(() => ages.save(hourOfMicros(ledger.totals.beforeMicros)));
    if (errors.length > 0) throw errors[0];
  }

  async function finishPending(): Promise<void> {
    if (ledger.pending.length === 0) return;
    await removePartitions(files, directory, ledger.pending, ledger.totals.beforeMicros);
    await ledger.finish();
  }

  async function removeDue(): Promise<void> {
    if (bounds.maxAgeMs <= 0 && bounds.maxBytes <= 0) return;
    while (!isClosed) {
      const aged = hours.sizes.inOrder.map(({ hour, rawBytes, commitBytes }) => {
        return { hour, bytes: rawBytes + commitBytes, ageMs: ages.ageMs(hour) };
      });
      const chosen = holdBack(chooseRemoval(aged, bounds, closedBeforeMicros()));
      if (chosen === undefined) return;
      const beforeMicros = ((chosen.hours.at(-1) ?? 0) + 1) * MICROS_PER_HOUR;
      // Synchronous with the check of the writer: later events get later times even if the clock goes back.
      clock.holdAbove(beforeMicros - 1);
      if (!(await remove(chosen, beforeMicros))) return;
    }
  }

  /** Returns a timestamp; nothing more arrives in the hours before its own. */
  function closedBeforeMicros(): number {
    return isWriterIdle() ? clock.now() : index.content.lastReceivedAtMicros;
  }

  /** Returns false if the index does not apply the removal. */
  async function remove({ hours: chosen, reason }: ChosenRemoval, beforeMicros: number): Promise<boolean> {
    const partitions = await measurePartitions({ files, directory }, chosen);
    const isRemoved = await index.remove({
      beforeMicros,
      isCancelled: () => isClosed,
      writeDown: (lost) => ledger.add({ ...lost, beforeMicros, partitions, reason, removedAtMs: nowMs() }),
    });
    if (!isRemoved) return false;
    hours.forgetRemoved();
    // Files first: on a full disk that frees space for the checkpoint, which is written even if they cannot be deleted.
    try {
      await finishPending();
    } finally {
      await index.checkpoint();
    }
    return true;
  }

  async function compact(): Promise<void> {
    const removed = function* (): Generator<IssueRemoval> {
      for (const issue of index.content.issues.inOrder) {
        if (hasRemoved(issue)) yield describeRemoval(issue, NOTHING_LOST);
      }
    };
    const issues = index.content.issues.inOrder.reduce((sum, issue) => sum + (hasRemoved(issue) ? 1 : 0), 0);
    if (isClosed || !ledger.isWorthCompacting(issues)) return;
    await index.checkpoint();
    await ledger.compact(removed());
  }

  const isBounded = bounds.maxAgeMs > 0 || bounds.maxBytes > 0;
  // Without bounds a removal may still be unfinished, or partitions restored.
  const isNeeded = isBounded || ledger.totals.beforeMicros > 0;
  const first = isNeeded ? setTimeout(tick, Math.min(FIRST_RUN_MS, intervalMs)).unref() : undefined;
  const timer = isNeeded ? setInterval(tick, intervalMs).unref() : undefined;

  return {
    run,
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(first);
      clearInterval(timer);
      await running;
    },
  };
}
