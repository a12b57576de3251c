import type { ReadableFile } from '../../files/store-files.js';
import type { Partition } from '../partitions/partition-path.js';
import { readCommits } from './commit-search.js';

/** The lines of one commit record that belong to a batch. */
export interface FoundBatch {
  readonly batchId: string;
  readonly partition: Partition;
  readonly lines: number;
  /** First line of the commit record, zero-based. */
  readonly firstLine: number;
}

/** Scans all commit records for batch ids that start with `prefix`. */
export async function* findBatches(
  partitions: readonly Partition[],
  commitsOf: (partition: Partition) => ReadableFile,
  prefix: string,
): AsyncGenerator<FoundBatch> {
  for (const partition of partitions) {
    for await (const commits of readCommits(commitsOf(partition), { from: 0 })) {
      for (const { record } of commits) {
        for (const { batchId, lines } of record.batches) {
          if (batchId.startsWith(prefix)) yield { batchId, lines, partition, firstLine: record.line };
        }
      }
    }
  }
}
