import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Low } from 'lowdb';
import { Fault } from '../../event/fault.js';
import { beginTimeSlice } from '../../time-slice.js';
import { replaceData } from '../files/durable-document.js';
import { FailureStreak } from '../files/failure-streak.js';
import type { DataFolder } from '../files/store-files.js';
import type { GroupingPlan } from '../groupings/grouping-log-plan.js';
import type { ClosedHours } from '../index/documents/hours-document.js';
import { isIndexUnusable } from '../index/documents/index-fault.js';
import type { IssueIndex } from '../index/issue-index.js';
import { restoreCommits } from '../index/restore-commits.js';
import { HourSizes } from '../record/hour-sizes.js';
import { type InspectedPartition, inspectPartition } from '../record/inspect-partitions.js';
import { formatMicros, hourOfMicros } from '../record/partitions/arrival-clock.js';
import { type Partition, RAW_FILE, walkNames } from '../record/partitions/partition-path.js';
import { removeEmptyNames } from './remove-partitions.js';
import type { RetentionLedger } from './retention-ledger.js';

interface RecordHoursOptions extends DataFolder {
  /** The document that keeps the sizes of closed hours. */
  readonly closedHours: Low<ClosedHours>;
  /** Of all hours, as the start found them. */
  readonly sizes: HourSizes;
  /** The start inspected this hour and later ones, in hours since the epoch. */
  readonly inspectedFrom: number;
  readonly index: Pick<IssueIndex, 'content' | 'recover'>;
  /** The current one. */
  readonly plan: () => GroupingPlan;
  readonly ledger: Pick<RetentionLedger, 'pending' | 'totals'>;
  /** Called for restored and damaged partitions, once with `RETENTION_RESTORED`, and for the first of a series of failures. */
  readonly onFault: (fault: Error) => void;
}

/** Delay of the survey, so that it does not slow the start. */
const SURVEY_DELAY_MS = 1_000;
/** How often it is looked whether an hour was closed. */
const SAVE_INTERVAL_MS = 60_000;

/**
 * The hours of the record in the process that writes it. A start takes the sizes of closed hours from the index; the survey, which runs once
 * behind it, compares them with the disk and restores commit records that were lost there.
 */
export class RecordHours {
  readonly sizes: HourSizes;
  readonly #options: RecordHoursOptions;
  readonly #failures: FailureStreak;
  readonly #removedHourAtOpen: number;
  /** Of the closed hours on the disk. */
  #savedBeforeHour: number;
  #survey: Promise<void> | undefined;
  #isClosed = false;
  readonly #stop = new AbortController();
  #background: Promise<void> | undefined;

  constructor(options: RecordHoursOptions) {
    this.sizes = options.sizes;
    this.#options = options;
    this.#failures = new FailureStreak(options.onFault);
    this.#savedBeforeHour = options.inspectedFrom;
    this.#removedHourAtOpen = hourOfMicros(options.ledger.totals.beforeMicros);
    this.forgetRemoved();
  }

  /** Starts the survey and the saves in the background, until `close`. */
  begin(): void {
    this.#background = this.#runInBackground();
  }

  /** Forgets the hours that retention has removed. */
  forgetRemoved(): void {
    this.sizes.forgetBefore(hourOfMicros(this.#options.ledger.totals.beforeMicros));
  }

  /** Surveys the closed hours, unless that was done. Nothing may be removed meanwhile. Reports a failure; the next call tries again. */
  survey(): Promise<void> {
    this.#survey ??= this.#surveyOnce().catch((error: unknown) => {
      this.#survey = undefined;
      this.#failures.failed(error);
    });
    return this.#survey;
  }

  /** Stops the survey, and saves the closed hours if there are new ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop.abort();
    await this.#background;
    await this.#survey;
    await this.#saveIfClosed();
  }

  async #runInBackground(): Promise<void> {
    const { signal } = this.#stop;
    const pause = (ms: number) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
    await pause(SURVEY_DELAY_MS);
    if (!this.#isClosed) await this.survey();
    while (!this.#isClosed) {
      await this.#saveIfClosed();
      await pause(SAVE_INTERVAL_MS);
    }
  }

  /** All hours before that of the last event are closed: the clock of the folder never goes back. */
  async #saveIfClosed(): Promise<void> {
    const { closedHours, index } = this.#options;
    const beforeHour = hourOfMicros(index.content.lastReceivedAtMicros);
    if (beforeHour === this.#savedBeforeHour) return;
    const hours = this.sizes.inOrder.filter(({ hour }) => hour < beforeHour);
    try {
      await replaceData(closedHours, { beforeHour, hours });
      this.#savedBeforeHour = beforeHour;
      this.#failures.succeeded();
    } catch (error) {
      this.#failures.failed(error);
    }
  }

  async #surveyOnce(): Promise<void> {
    const { files, directory, inspectedFrom, ledger, onFault } = this.#options;
    const removedHour = hourOfMicros(ledger.totals.beforeMicros);
    // A name that this process emptied is known to its writer as durable.
    const mayRemoveNames = removedHour > 0 && removedHour === this.#removedHourAtOpen;
    const sizes = new HourSizes();
    const left: Partition[] = [];
    for await (const { folder, partitions } of walkNames(files, directory)) {
      if (this.#isClosed) return;
      if (partitions.length === 0 && mayRemoveNames) await removeEmptyNames(files, directory, folder);
      left.push(...partitions.filter(({ hour }) => hour < removedHour));
      const closed = partitions.filter(({ hour }) => hour >= removedHour && hour < inspectedFrom);
      for (const partition of await this.#inspect(closed)) sizes.addPartition(partition);
    }
    this.sizes.replaceBefore(inspectedFrom, sizes);
    const restored = await this.#findRestored(left);
    if (restored !== undefined) onFault(restored);
  }

  /** Inspects partitions of closed hours, and restores their lost commit records from the index. */
  async #inspect(partitions: readonly Partition[]): Promise<readonly InspectedPartition[]> {
    const { files, directory, index, plan, onFault } = this.#options;
    const inspected: InspectedPartition[] = [];
    const slice = beginTimeSlice();
    for (const partition of partitions) {
      inspected.push(await inspectPartition({ files, directory }, partition));
      if (slice.isOver) await slice.next();
    }
    try {
      return await restoreCommits({ files, directory, inspected, content: index.content, plan: plan(), onFault });
    } catch (error) {
      if (isIndexUnusable(error)) await index.recover(error);
      throw error;
    }
  }

  /** Returns `RETENTION_RESTORED` if partitions were put back into removed hours, except those that are still to be deleted. */
  async #findRestored(left: readonly Partition[]): Promise<Fault | undefined> {
    const { files, directory, ledger } = this.#options;
    const unfinished = new Set(ledger.pending.map(({ folder }) => folder));
    const restored: string[] = [];
    for (const { folder } of left) {
      if (unfinished.has(folder)) continue;
      if ((await files.statNow(join(directory, folder, RAW_FILE))) !== undefined) restored.push(folder);
    }
    if (restored.length === 0) return undefined;
    return new Fault(
      'RETENTION_RESTORED',
      `${restored.length} partitions lie in hours that retention removed (before ${formatMicros(ledger.totals.beforeMicros)}), the first is ${restored.sort()[0]}. They are not counted and not deleted. To read them, move them into a separate data folder and open that with --data.`,
    );
  }
}

/**
 * Returns the timestamp after which recovery repairs the record, for an index at `cursorMicros`. Recovery reads the whole hour of its
 * timestamp, so it starts one hour later if retention removed that hour and files are left in it.
 */
export function recoverAfter(cursorMicros: number, inspected: readonly InspectedPartition[]): number {
  const hour = hourOfMicros(cursorMicros);
  if (hourOfMicros(cursorMicros + 1) === hour) return cursorMicros;
  return inspected.some(({ partition }) => partition.hour === hour) ? cursorMicros + 1 : cursorMicros;
}
