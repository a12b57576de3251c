import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { nodeFiles } from '../../../../core/storage/files/node-files.js';
import type { IssueIndex } from '../../../../core/storage/index/issue-index.js';
import type { IssueIndexOptions } from '../../../../core/storage/index/issue-index-options.js';
import { openIssueIndex } from '../../../../core/storage/index/open-issue-index.js';
import { groupingBy } from '../../../helpers/grouping.js';
import { kindOfFailure } from '../../../helpers/payloads.js';
import { type MemoryRecord, rememberedFingerprint, TEN_O_CLOCK_MICROS } from './memory-record.js';

/** Longer than any test: checkpoints are made when a test asks for one. */
const NEVER_MS = 2 ** 30;

/** An index over a record in memory, and what it reported. */
export interface OpenedIndex {
  readonly index: IssueIndex;
  readonly faults: Error[];
  /** Events that were replayed when it was opened. */
  readonly replayed: number;
}

/** Opens the index of a folder as its writer does. */
export async function openIndex(
  directory: string,
  record: MemoryRecord,
  options: Partial<IssueIndexOptions> = {},
): Promise<OpenedIndex> {
  const faults: Error[] = [];
  let replayed = 0;
  const index = await openIssueIndex({
    directory,
    files: nodeFiles,
    record,
    grouping: groupingBy(rememberedFingerprint),
    checkpointIntervalMs: NEVER_MS,
    onFault: (fault) => faults.push(fault),
    onProgress: ({ doneEvents }) => {
      replayed = doneEvents;
    },
    ...options,
  });
  return { index, faults, replayed };
}

/** Gives commits of so many events to a record, and to an index if there is one; each is received a second after the last. */
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

/** Payloads of so many different failures, one of each, which happen when they are received. */
export function failures(count: number, from = 0): RawPayload[] {
  return Array.from({ length: count }, (_, index) => kindOfFailure(from + index, { timestamp: null }));
}
