import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { IssueIndex } from '../../../../core/storage/index/issue-index.js';
import type { IssueIndexOptions } from '../../../../core/storage/index/issue-index-options.js';
import { openIssueIndex } from '../../../../core/storage/index/open-issue-index.js';
import { groupingBy } from '../../../helpers/grouping.js';
import { kindOfFailure } from '../../../helpers/payloads.js';
import { unsyncedFiles } from '../../../helpers/unsynced-files.js';
import { cachedFingerprint, type MemoryRecord, TEN_O_CLOCK_MICROS } from './memory-record.js';

/** Longer than any test: only a test starts checkpoints. */
const NEVER_MS = 2 ** 30;

/** An index over a record in memory, and its faults. */
export interface OpenedIndex {
  readonly index: IssueIndex;
  readonly faults: Error[];
  /** The number of events that were replayed at opening. */
  readonly replayed: number;
}

/** Opens the index of a folder for writing. */
export async function openIndex(
  directory: string,
  record: MemoryRecord,
  options: Partial<IssueIndexOptions> = {},
): Promise<OpenedIndex> {
  const faults: Error[] = [];
  let replayed = 0;
  const index = await openIssueIndex({
    directory,
    files: unsyncedFiles,
    record,
    grouping: groupingBy(cachedFingerprint),
    checkpointIntervalMs: NEVER_MS,
    onFault: (fault) => faults.push(fault),
    onProgress: ({ doneEvents }) => {
      replayed = doneEvents;
    },
    ...options,
  });
  return { index, faults, replayed };
}

/** Adds commits to a record, and to an index if given; each is received a second after the last. */
export function feed(
  record: MemoryRecord,
  index: Pick<IssueIndex, 'apply'> | undefined,
  commits: number,
  payloadsOf: (commit: number) => readonly RawPayload[],
): void {
  for (let commit = 0; commit < commits; commit += 1) {
    const last = record.commits.at(-1)?.receivedAtMicros ?? TEN_O_CLOCK_MICROS;
    const committed = record.commit(payloadsOf(commit), last + 1_000_000);
    index?.apply(committed);
  }
}

/** Returns payloads of different failures, without timestamps. */
export function failures(count: number, from = 0): RawPayload[] {
  return Array.from({ length: count }, (_, index) => kindOfFailure(from + index, { timestamp: null }));
}
