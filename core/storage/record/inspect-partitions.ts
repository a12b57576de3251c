import { join } from 'node:path';
import { beginTimeSlice } from '../../time-slice.js';
import { type DataFolder, type StoreFiles, withFile } from '../files/store-files.js';
import { findLastCommit, lastCommitIn, type PlacedCommit } from './commits/commit-search.js';
import { settleAll } from './io/settle-all.js';
import { hourOfMicros } from './partitions/arrival-clock.js';
import { COMMITS_FILE, type HourRange, type Partition, RAW_FILE, walkPartitions } from './partitions/partition-path.js';

/** A partition and the lengths of its two files, 0 for a missing file. */
export interface InspectedPartition {
  readonly partition: Partition;
  /** The last record of its commit file, without fingerprints. */
  readonly last: PlacedCommit | undefined;
  readonly rawBytes: number;
  readonly commitBytes: number;
}

const PARALLEL_INSPECTIONS = 8;
/** Holds the last record of most commit files; else more is read. */
const COMMITS_END_BYTES = 4 * 1024;

/** Inspects the partitions of some hours, ordered by hour and folder. */
export async function inspectPartitions(
  files: StoreFiles,
  directory: string,
  hours: HourRange,
): Promise<readonly InspectedPartition[]> {
  const partitions = await walkPartitions(files, directory, hours);
  const inspected = new Map<Partition, InspectedPartition>();
  const slice = beginTimeSlice();
  await settleAll(partitions, PARALLEL_INSPECTIONS, async (partition) => {
    if (slice.isOver) await slice.next();
    inspected.set(partition, await inspectPartition({ files, directory }, partition));
  });
  return partitions.flatMap((partition) => inspected.get(partition) ?? []);
}

/** Reads the lengths of the files of a partition, and its last commit record. */
export async function inspectPartition(
  { files, directory }: DataFolder,
  partition: Partition,
): Promise<InspectedPartition> {
  const rawBytes = (await files.statNow(join(directory, partition.folder, RAW_FILE)))?.bytes ?? 0;
  const { last, commitBytes } = await inspectCommits({ files, directory }, partition);
  return { partition, last, rawBytes, commitBytes };
}

/** The `received_at` of the last commit of a partition, 0 if it has none; one outside its hour was changed by hand, and counts as none. */
export async function lastReceivedAt(folder: DataFolder, partition: Partition): Promise<number> {
  const micros = (await inspectCommits(folder, partition)).last?.record.receivedAtMicros ?? 0;
  return hourOfMicros(micros) === partition.hour ? micros : 0;
}

/**
 * The greatest `received_at` in the partitions from an hour on; 0 if they are empty. All commits before it are complete. Without this bound a
 * reader would miss a commit that reaches a partition after that one was read and before the next.
 */
export async function readFrontier(files: StoreFiles, directory: string, fromHour: number): Promise<number> {
  const partitions = await walkPartitions(files, directory, { from: fromHour });
  const slice = beginTimeSlice();
  for (const hour of new Set(partitions.map((partition) => partition.hour).reverse())) {
    let newest = 0;
    const sameHour = partitions.filter((partition) => partition.hour === hour);
    await settleAll(sameHour, PARALLEL_INSPECTIONS, async (partition) => {
      if (slice.isOver) await slice.next();
      const last = await lastReceivedAt({ files, directory }, partition);
      newest = Math.max(newest, last);
    });
    if (newest > 0) return newest;
  }
  return 0;
}

async function inspectCommits(
  { files, directory }: DataFolder,
  { folder }: Partition,
): Promise<Pick<InspectedPartition, 'last' | 'commitBytes'>> {
  const path = join(directory, folder, COMMITS_FILE);
  const tail = await files.readEndNow(path, COMMITS_END_BYTES);
  if (tail === undefined || tail.bytes === 0) return { last: undefined, commitBytes: 0 };
  const last = lastCommitIn(tail) ?? (await withFile(files, path, 'read', findLastCommit));
  // Thousands of partitions may be inspected: their fingerprints are not needed, and large.
  return { last: last && { ...last, record: { ...last.record, fingerprints: undefined } }, commitBytes: tail.bytes };
}
