import type { RegroupPreview } from '../../../generated/reader-answers.js';
import { discardingFiles } from '../files/discarding-files.js';
import type { CreateGrouper } from '../index/event-groupers.js';
import type { IssueIndex } from '../index/issue-index.js';
import type { RemovalHistory } from '../index/removal.js';
import { replayRecord } from '../index/replay-record.js';
import { createEmptyIndex } from '../index/start-index.js';
import { takeRemovals } from '../index/take-removals.js';
import type { GroupingPlan } from '../record/grouping-log-plan.js';
import type { RecordReader } from '../record/record-reader.js';
import { IssuePairs } from './issue-pairs.js';
import { previewOf } from './regroup-preview.js';

/** What a preview reads. */
export interface PreviewSource {
  /** Absolute path of the data folder. */
  readonly directory: string;
  record: Pick<RecordReader, 'replay'>;
  /** The index as it is shown. */
  index: Pick<IssueIndex, 'content'>;
  history: RemovalHistory;
  createGrouper: CreateGrouper;
  onFault: (fault: Error) => void;
}

/** Groups the record by a plan, up to what is shown now, into an index in memory, and compares. Removals must be held. */
export async function runPreview(
  source: PreviewSource,
  plan: GroupingPlan,
  options: {
    signal: AbortSignal;
    onProgress?: (progress: { readonly doneEvents: number; readonly totalEvents: number }) => void;
  },
): Promise<RegroupPreview> {
  const { directory, record, index, history, createGrouper, onFault } = source;
  const { signal, onProgress } = options;
  const before = index.content;
  const { content } = createEmptyIndex(discardingFiles, directory, plan.id);
  await takeRemovals({ root: directory, content, history, isNew: true });
  const pairs = new IssuePairs(before, content);
  const totalEvents = before.segments.events;
  await replayRecord({
    record,
    content,
    grouping: { plan, createGrouper },
    afterMicros: content.lastReceivedAtMicros,
    untilMicros: before.lastReceivedAtMicros,
    signal,
    onProgress: () => onProgress?.({ doneEvents: content.segments.events, totalEvents }),
    onFault,
    afterCommit: async () => {
      if (content.segments.unwritten === 0) return;
      // What the disk forgets is looked at before.
      const { segments } = content.segments.sealed;
      await pairs.follow(signal);
      await content.segments.writeUpTo(segments);
    },
  });
  await pairs.finish(signal);
  return previewOf(pairs, before, content);
}
