import type { DeadLetterStats, GroupingStats, RemovedStats, Stats } from '../../generated/reader-answers.js';
import type { IndexContent } from './index/index-content.js';
import type { RemovedTotals } from './index/removal.js';
import type { MergedIssues } from './merged-issues.js';
import { formatMicros } from './record/arrival-time.js';
import type { RecordSize } from './record-size.js';

/** What the numbers about a store are read from. */
export interface StoreMeters {
  /** Absolute path of the data folder. */
  directory: string;
  /** How the folder groups. */
  grouping: () => GroupingStats;
  /** Measures the record. */
  recordSize: () => Promise<RecordSize>;
  /** Measures the dead letters. */
  deadLetters: () => Promise<DeadLetterStats>;
}

/** Numbers about a store, as one without a collector tells them. */
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
