import { join } from 'node:path';
import type { DeadLetterStats, GroupingStats, RemovedStats, Stats } from '../../generated/reader-answers.js';
import type { DataFolder } from './files/store-files.js';
import type { IndexContent } from './index/content/index-content.js';
import type { RemovedTotals } from './index/content/removal.js';
import { hourOfMs } from './index/count-event.js';
import type { MergedIssues } from './issue-queries/merged-issues.js';
import { settleAll } from './record/io/settle-all.js';
import { formatMicros, hourOfMicros } from './record/partitions/arrival-clock.js';
import { RAW_FILE } from './record/partitions/partition-path.js';
import type { RecordReader } from './record/reader/record-reader.js';

/** Sources of the statistics of a store. */
export interface StoreMeters {
  /** Absolute path of the data folder. */
  directory: string;
  grouping: () => GroupingStats;
  recordSize: () => Promise<RecordSize>;
  deadLetters: () => Promise<DeadLetterStats>;
}

/** Measures a store; the statistics of a collector are empty. */
export async function measureStore(
  {
    directory,
    index,
    grouping,
    recordSize,
    deadLetters,
  }: StoreMeters & { readonly index: { readonly lagEvents: number } },
  content: IndexContent,
  merged: Pick<MergedIssues, 'hidden'>,
): Promise<Stats> {
  const { partitions, rawBytes } = await recordSize();
  return {
    events: content.segments.events,
    sampled: content.issues.inOrder.reduce((sum, { sampled }) => sum + sampled, 0),
    issues: content.issues.inOrder.length - merged.hidden.size,
    partitions,
    raw_bytes: rawBytes,
    checkpoint_lag_events: index.lagEvents,
    removed: removedStats(content.removed),
    dead_letters: await deadLetters(),
    grouping: grouping(),
    directory,
    receivers: {},
    endpoints: {},
  };
}

function removedStats({ events, partitions, rawBytes, beforeMicros }: RemovedTotals): RemovedStats {
  const before = beforeMicros === 0 ? null : formatMicros(beforeMicros);
  return { events, partitions, raw_bytes: rawBytes, before };
}

interface RecordSize {
  readonly partitions: number;
  /** Bytes of all raw files. */
  readonly rawBytes: number;
}

const PARALLEL_STATS = 16;

/** Creates a function that measures the record by the sizes of its files; partitions of past hours are final and measured once. */
export function createRecordMeter(
  options: DataFolder & {
    record: Pick<RecordReader, 'partitions'>;
    nowMs: () => number;
    /** Partitions of hours before this timestamp are not counted: retention removed them. */
    removedBeforeMicros: () => number;
  },
): () => Promise<RecordSize> {
  const closed = new Map<string, { readonly hour: number; readonly bytes: number }>();
  return async () => {
    const firstHour = hourOfMicros(options.removedBeforeMicros());
    const partitions = (await options.record.partitions()).filter(({ hour }) => hour >= firstHour);
    for (const [folder, { hour }] of closed) if (hour < firstHour) closed.delete(folder);
    const lastClosedHour = hourOfMs(options.nowMs()) - 2;
    let rawBytes = 0;
    await settleAll(partitions, PARALLEL_STATS, async ({ folder, hour }) => {
      const bytes =
        closed.get(folder)?.bytes ?? (await options.files.stat(join(options.directory, folder, RAW_FILE)))?.bytes ?? 0;
      if (hour <= lastClosedHour) closed.set(folder, { hour, bytes });
      rawBytes += bytes;
    });
    return { partitions: partitions.length, rawBytes };
  };
}
