import { join } from 'node:path';
import type { StoreFiles } from '../files/store-files.js';
import { findLastCommit, type PlacedCommit } from './commits/commit-search.js';
import { createReadHandles } from './io/file-handles.js';
import { settleAll } from './io/settle-all.js';
import { COMMITS_FILE, type Partition, RAW_FILE, walkPartitions } from './partitions/partition-path.js';

/** A partition and the lengths of its two files, 0 for a missing file. */
export interface InspectedPartition {
  readonly partition: Partition;
  /** The last record of its commit file. */
  readonly last: PlacedCommit | undefined;
  readonly rawBytes: number;
  readonly commitBytes: number;
}

const PARALLEL_INSPECTIONS = 8;

/** Inspects the partitions from `fromHour` on, ordered by hour and folder. */
export async function inspectPartitions(
  files: StoreFiles,
  directory: string,
  fromHour: number,
): Promise<readonly InspectedPartition[]> {
  const partitions = await walkPartitions(files, directory, { from: fromHour });
  await using handles = createReadHandles(files, 2 * PARALLEL_INSPECTIONS);
  const inspected = new Map<Partition, InspectedPartition>();
  await settleAll(partitions, PARALLEL_INSPECTIONS, async (partition) => {
    const commits = handles.file(join(directory, partition.folder, COMMITS_FILE));
    const rawBytes = await handles.file(join(directory, partition.folder, RAW_FILE)).size();
    const last = await findLastCommit(commits);
    inspected.set(partition, { partition, last, rawBytes, commitBytes: await commits.size() });
  });
  return partitions.flatMap((partition) => inspected.get(partition) ?? []);
}
