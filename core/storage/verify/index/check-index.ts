import { join } from 'node:path';
import { discardingFiles } from '../../files/discarding-files.js';
import { createEmptyIndex } from '../../index/checkpoint/empty-index.js';
import type { LoadedIndex } from '../../index/checkpoint/load-index.js';
import { applyRemovals } from '../../index/content/apply-removals.js';
import type { IssueState } from '../../index/content/issue-state.js';
import { ISSUES_PER_SHARD } from '../../index/content/issue-state.js';
import { isIndexUnusable } from '../../index/documents/index-fault.js';
import { replayIntoIndex } from '../../index/replay-into-index.js';
import { COMMITS_FILE, RAW_FILE } from '../../record/partitions/partition-path.js';
import type { FindingCode } from '../finding.js';
import type { VerifyContext } from '../verify-context.js';
import { compareIssues } from './compare-issues.js';
import { loadCheckedIndex } from './load-checked-index.js';
import { createCheckedReplay } from './replay-checked.js';
import { RowComparison, type RowDifference } from './row-comparison.js';

/** Replays the whole record into an index in memory, which checks every line, and compares the index on disk with that. */
export async function checkIndex(context: VerifyContext): Promise<void> {
  try {
    await compareWithRecord(context);
  } catch (error) {
    if (!isIndexUnusable(error)) throw error;
    // With a writer, retention removed a segment after it was checked.
    const code = context.writer === undefined ? 'INDEX_DOCUMENT_DAMAGED' : 'INDEX_BUSY';
    context.report({ code, file: 'index', what: `The comparison ended early: ${error.message}` });
  }
}

async function compareWithRecord(context: VerifyContext): Promise<void> {
  const { directory, record, grouping, history } = context;
  const loaded = await loadCheckedIndex(context);
  const { content } = createEmptyIndex(discardingFiles, directory, grouping.plan.id);
  await applyRemovals({ root: directory, content, history, isNew: true });
  const replay = createCheckedReplay(context, content);
  const rows = loaded && new RowComparison(loaded, content);
  const afterCommit = async (): Promise<void> => {
    await rows?.afterCommit();
    await content.segments.writeUpTo(content.segments.sealed.segments);
    await context.nextSlice('comparing the index', content.segments.events, context.events);
  };
  const { lastReceivedAtMicros } = content;
  // Issue states may be newer than the cursor, so both indexes are brought to the same event.
  const untilMicros = loaded === undefined ? lastReceivedAtMicros : coveredUpTo(loaded);
  await replay({ afterMicros: lastReceivedAtMicros, untilMicros }, afterCommit);
  if (loaded !== undefined && rows !== undefined) {
    await rows.finish();
    await reportRows(context, rows);
    const afterMicros = loaded.content.lastReceivedAtMicros;
    const onFault = (): undefined => undefined;
    await replayIntoIndex({ record, content: loaded.content, grouping, afterMicros, untilMicros, onFault });
    const isTouched = ({ issueId }: IssueState): boolean => rows.touched.has(issueId);
    // A writer's retention may have removed hours between the two reads.
    const isSameHistory = loaded.content.removed.beforeMicros === content.removed.beforeMicros;
    if (isSameHistory) await compareIssues(context, { loaded: loaded.content, rebuilt: content }, isTouched);
  }
  await replay({ afterMicros: untilMicros, untilMicros: Number.POSITIVE_INFINITY }, afterCommit);
}

/** Returns the latest receipt time that any document of an index counts. */
function coveredUpTo({ manifest, content }: LoadedIndex): number {
  let most = content.lastReceivedAtMicros;
  for (let shard = 0; shard * ISSUES_PER_SHARD < manifest.issues; shard += 1) {
    most = Math.max(most, content.countedThrough(shard));
  }
  return most;
}

async function reportRows(context: VerifyContext, { extra, missing, wrong }: RowComparison): Promise<void> {
  for (const [folder, difference] of extra) {
    if (await context.isRemoved(difference.first.partition)) continue;
    if (await partitionExists(context, folder)) {
      reportRow(context, difference, 'INDEX_ROWS_WITHOUT_LINES', 'that the record does not hold with this time');
    } else {
      const what = `The index knows ${count(difference)} of this partition, and the partition is not there.`;
      context.report({ code: 'PARTITION_MISSING', file: folder, what });
    }
  }
  for (const difference of missing.values()) {
    const what = `The index lacks ${count(difference)} of this file, the first of them line ${difference.first.line}.`;
    reportAt(context, difference, 'INDEX_ROWS_MISSING', what);
  }
  for (const [folder, difference] of wrong) {
    // The raw line is damaged, which was reported.
    if (context.damagedFolders.has(folder)) continue;
    reportRow(context, difference, 'INDEX_ROWS_WRONG', 'with other values than the record');
  }
}

function reportRow(context: VerifyContext, difference: RowDifference, code: FindingCode, how: string): void {
  const what = `The index knows ${count(difference)} of this file ${how}, the first of them line ${difference.first.line}.`;
  reportAt(context, difference, code, what);
}

function reportAt({ report }: VerifyContext, { first }: RowDifference, code: FindingCode, what: string): void {
  report({ code, file: `${first.partition.folder}/${RAW_FILE}`, line: first.line, offset: first.offset, what });
}

function count({ rows }: RowDifference): string {
  return rows === 1 ? '1 event' : `${rows} events`;
}

async function partitionExists({ files, directory }: VerifyContext, folder: string): Promise<boolean> {
  for (const name of [RAW_FILE, COMMITS_FILE]) {
    if ((await files.stat(join(directory, folder, name))) !== undefined) return true;
  }
  return false;
}
