import type { Stats } from '../../generated/reader-answers.js';
import { createDeadLetterMeter } from './dead-letters/dead-letter-meter.js';
import type { DataFolder } from './files/store-files.js';
import type { GroupingPlan } from './groupings/grouping-log-plan.js';
import type { IndexContent } from './index/content/index-content.js';
import type { MergedIssues } from './issue-queries/merged-issues.js';
import type { RecordSize } from './record/hour-sizes.js';
import { formatMicros, hourOfMicros } from './record/partitions/arrival-clock.js';
import { groupingStats } from './regroup/store-groupings.js';

/** Sources of the statistics of a store. */
export interface StoreMeterOptions extends DataFolder {
  readonly index: { readonly lagEvents: number };
  /** The current one. */
  readonly plan: () => GroupingPlan;
  /** Measures the hours of the record from one on. */
  readonly measure: (fromHour: number) => Promise<RecordSize>;
  /** The log of dead letters; only the writer knows how many payloads it lost. */
  readonly rejected?: { readonly lost: number };
}

/** Measures a store; the statistics of a collector are empty. */
export class StoreMeter {
  readonly #options: StoreMeterOptions;
  readonly #deadLetters: () => Promise<Stats['dead_letters']>;

  constructor(options: StoreMeterOptions) {
    const { directory, files, rejected } = options;
    this.#options = options;
    this.#deadLetters = createDeadLetterMeter({ directory, files, writer: rejected });
  }

  /** Number of partitions, and bytes of all raw files, without those of hours that retention removed. */
  recordSize({ removed }: IndexContent): Promise<RecordSize> {
    return this.#options.measure(hourOfMicros(removed.beforeMicros));
  }

  async stats(content: IndexContent, merged: Pick<MergedIssues, 'hidden'>): Promise<Stats> {
    const { index, plan, directory } = this.#options;
    const { partitions, rawBytes } = await this.recordSize(content);
    const { beforeMicros, rawBytes: removedBytes, ...removed } = content.removed;
    return {
      events: content.segments.events,
      sampled: content.issues.inOrder.reduce((sum, { sampled }) => sum + sampled, 0),
      repeated: content.issues.inOrder.reduce((sum, { repeated }) => sum + repeated, 0),
      issues: content.issues.inOrder.length - merged.hidden.size,
      partitions,
      raw_bytes: rawBytes,
      checkpoint_lag_events: index.lagEvents,
      removed: { ...removed, raw_bytes: removedBytes, before: beforeMicros === 0 ? null : formatMicros(beforeMicros) },
      dead_letters: await this.#deadLetters(),
      grouping: groupingStats(plan(), beforeMicros),
      directory,
      receivers: {},
      endpoints: {},
    };
  }
}
