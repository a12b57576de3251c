import type { ReadableFile } from '../../files/store-files.js';
import type { Partition } from '../partitions/partition-path.js';
import { readCommits } from './commit-search.js';

/** How many lines of one commit record came with a mark. */
export interface FoundBatch {
  readonly batchId: string;
  readonly partition: Partition;
  readonly lines: number;
  /** First line of the whole commit record, zero-based. */
  readonly firstLine: number;
}

/** Reads all commit records of some partitions for marks that start with `prefix`. */
export async function* findMarks(
  partitions: readonly Partition[],
  commitsOf: (partition: Partition) => ReadableFile,
  prefix: string,
): AsyncGenerator<FoundBatch> {
  for (const partition of partitions) {
    for await (const commits of readCommits(commitsOf(partition), { from: 0 })) {
      for (const { record } of commits) {
        for (const { mark, lines } of record.marks) {
          if (mark.startsWith(prefix)) yield { batchId: mark, lines, partition, firstLine: record.line };
        }
      }
    }
  }
}
