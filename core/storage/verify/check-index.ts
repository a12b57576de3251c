import { join } from 'node:path';
import type { RawPayload } from '../../event/raw-payload.js';
import { discardingFiles } from '../files/discarding-files.js';
import { beginEmptyIndex, type LoadedIndex } from '../index/checkpoint/load-index.js';
import { ISSUES_PER_SHARD, type IssueState } from '../index/content/issue-state.js';
import { isIndexUnusable } from '../index/documents/index-fault.js';
import { type ReplayIntoIndexOptions, replayIntoIndex } from '../index/replay-into-index.js';
import type { ReplayedLine } from '../record/commits/committed-event.js';
import { COMMITS_FILE, isIn, RAW_FILE } from '../record/partitions/partition-path.js';
import { compareIssues } from './compare-issues.js';
import type { FindingCode } from './finding.js';
import { loadCheckedIndex } from './load-checked-index.js';
import { RowComparison, type RowDifference } from './row-comparison.js';
import type { VerifyContext } from './verify-context.js';

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
  const { content } = await beginEmptyIndex({ files: discardingFiles, directory, history }, grouping.plan.id);
  const rows = loaded && new RowComparison(loaded, content);
  const afterCommit = async (): Promise<void> => {
    await rows?.afterCommit();
    await content.segments.writeUpTo(content.segments.sealed.segments);
    await context.nextSlice('comparing the index', content.segments.events, context.events);
  };
  const onFault = (): undefined => undefined;
  const lines = new LineCheck(context);
  const observe: ReplayIntoIndexOptions['observe'] = (line, payload) => lines.check(line, payload);
  const replay = (afterMicros: number, untilMicros: number): Promise<void> =>
    replayIntoIndex({ record, content, grouping, afterMicros, untilMicros, observe, afterCommit, onFault });
  const { lastReceivedAtMicros } = content;
  // Issue states may be newer than the cursor, so both indexes are brought to the same event.
  const untilMicros = loaded === undefined ? lastReceivedAtMicros : coveredUpTo(loaded);
  await replay(lastReceivedAtMicros, untilMicros);
  if (loaded !== undefined && rows !== undefined) {
    await rows.finish();
    await reportRows(context, rows);
    const afterMicros = loaded.content.lastReceivedAtMicros;
    await replayIntoIndex({ record, content: loaded.content, grouping, afterMicros, untilMicros, onFault });
    const isTouched = ({ issueId }: IssueState): boolean => rows.touched.has(issueId);
    // A writer's retention may have removed hours between the two reads.
    const isSameHistory = loaded.content.removed.beforeMicros === content.removed.beforeMicros;
    if (isSameHistory) await compareIssues(context, { loaded: loaded.content, rebuilt: content }, isTouched);
  }
  await replay(untilMicros, Number.POSITIVE_INFINITY);
}

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
      reportRow(context, difference, 'INDEX_ROWS_WITHOUT_LINES', ' that the record does not hold with this time');
    } else {
      const what = `The index knows ${count(difference)} of this partition, and the partition is not there.`;
      context.report({ code: 'PARTITION_MISSING', file: folder, what });
    }
  }
  for (const difference of missing.values()) reportRow(context, difference, 'INDEX_ROWS_MISSING');
  for (const [folder, difference] of wrong) {
    // The raw line is damaged, which was reported.
    if (context.damagedFolders.has(folder)) continue;
    reportRow(context, difference, 'INDEX_ROWS_WRONG', ' with other values than the record');
  }
}

function reportRow({ report }: VerifyContext, difference: RowDifference, code: FindingCode, how?: string): void {
  const { partition, line, offset } = difference.first;
  const verb = how === undefined ? 'lacks' : 'knows';
  const what = `The index ${verb} ${count(difference)} of this file${how ?? ''}, the first of them line ${line}.`;
  report({ code, file: `${partition.folder}/${RAW_FILE}`, line, offset, what });
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

type Names = Pick<RawPayload, 'env' | 'service' | 'app'>;

/** Earlier versions stored events under names with halves of surrogate pairs, which are read as U+FFFD. */
const HALF_IN_FOLDER = /%ED%[AB]/;

/** Checks that each line is a payload and belongs to its folder, except in partitions that were reported before. */
class LineCheck {
  readonly #context: VerifyContext;
  /** The names of the last lines that were compared with their folder, by folder. */
  readonly #namesOf = new Map<string, Names>();
  readonly #misplaced = new Set<string>();

  constructor(context: VerifyContext) {
    this.#context = context;
  }

  check(replayed: ReplayedLine, payload: Names | undefined): void {
    if (payload === undefined) {
      this.#report('RAW_LINE_INVALID', replayed, 'is not a payload');
      return;
    }
    const { env, service, app } = payload;
    const { folder } = replayed.partition;
    const names = this.#namesOf.get(folder);
    const isSame = names?.app === app && names.service === service && names.env === env;
    if (isSame || this.#misplaced.has(folder) || HALF_IN_FOLDER.test(folder)) return;
    if (isIn(replayed.partition, payload)) {
      this.#namesOf.set(folder, { env, service, app });
      return;
    }
    this.#misplaced.add(folder);
    this.#report('RAW_LINE_MISPLACED', replayed, 'names another app, service or environment than its folder');
  }

  #report(
    code: 'RAW_LINE_INVALID' | 'RAW_LINE_MISPLACED',
    { partition, line, offset }: ReplayedLine,
    what: string,
  ): void {
    if (this.#context.damagedFolders.has(partition.folder)) return;
    const file = `${partition.folder}/${RAW_FILE}`;
    this.#context.report({ code, file, line, offset, what: `Line ${line} ${what}.` });
  }
}
