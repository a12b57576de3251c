import type { Stats } from '../../generated/reader-answers.js';
import { createDeadLetterMeter } from './dead-letters/dead-letter-meter.js';
import type { DataFolder } from './files/store-files.js';
import type { GroupingPlan } from './groupings/grouping-log-plan.js';
import type { IndexContent } from './index/content/index-content.js';
import type { MergedIssues } from './issue-queries/merged-issues.js';
import { formatMicros, hourOfMicros } from './record/partitions/arrival-clock.js';
import { groupingStats } from './regroup/store-groupings.js';
import { createHourMeter } from './retention/record-hours.js';

/** Sources of the statistics of a store. */
export interface StoreMeterOptions extends DataFolder {
  readonly index: { readonly lagEvents: number };
  /** The current one. */
  readonly plan: () => GroupingPlan;
  /** The log of dead letters; only the writer knows how many payloads it lost. */
  readonly rejected?: { readonly lost: number };
}

/** Creates functions that measure a store; the statistics of a collector are empty. */
export function createStoreMeter({ directory, files, index, plan, rejected }: StoreMeterOptions) {
  const hoursFrom = createHourMeter({ directory, files });
  const deadLetters = createDeadLetterMeter({ directory, files, writer: rejected });

  /** Number of partitions, and bytes of all raw files, without those of hours that retention removed. */
  async function recordSize({ removed }: IndexContent): Promise<{ partitions: number; rawBytes: number }> {
    const hours = await hoursFrom(hourOfMicros(removed.beforeMicros));
    const sizes = hours.flatMap(({ partitions }) => partitions.map(({ rawBytes }) => rawBytes));
    return { partitions: sizes.length, rawBytes: sizes.reduce((sum, bytes) => sum + bytes, 0) };
  }

  async function stats(content: IndexContent, merged: Pick<MergedIssues, 'hidden'>): Promise<Stats> {
    const { partitions, rawBytes } = await recordSize(content);
    const { beforeMicros, rawBytes: removedBytes, ...removed } = content.removed;
    return {
      events: content.segments.events,
      sampled: content.issues.inOrder.reduce((sum, { sampled }) => sum + sampled, 0),
      issues: content.issues.inOrder.length - merged.hidden.size,
      partitions,
      raw_bytes: rawBytes,
      checkpoint_lag_events: index.lagEvents,
      removed: { ...removed, raw_bytes: removedBytes, before: beforeMicros === 0 ? null : formatMicros(beforeMicros) },
      dead_letters: await deadLetters(),
      grouping: groupingStats(plan(), beforeMicros),
      directory,
      receivers: {},
      endpoints: {},
    };
  }

  return { recordSize, stats };
}
