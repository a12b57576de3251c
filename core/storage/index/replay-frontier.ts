import { join } from 'node:path';
import { type StoreFiles, withFile } from '../files/store-files.js';
import { hasCode } from '../files/system-error.js';
import { findLastCommit } from '../record/commits/commit-search.js';
import { settleAll } from '../record/io/settle-all.js';
import { hourOfMicros } from '../record/partitions/arrival-clock.js';
import { COMMITS_FILE, type Partition, walkPartitions } from '../record/partitions/partition-path.js';

const PARALLEL_READS = 8;

/**
 * The greatest `received_at` in the partitions from an hour on; 0 if they are empty. All commits before it are whole. Without this bound a
 * reader would miss a commit that reaches a partition after that one was read and before the next.
 */
export async function readFrontier(files: StoreFiles, directory: string, fromHour: number): Promise<number> {
  const partitions = await walkPartitions(files, directory, { from: fromHour });
  for (const hour of new Set(partitions.map((partition) => partition.hour).reverse())) {
    let newest = 0;
    const sameHour = partitions.filter((partition) => partition.hour === hour);
    await settleAll(sameHour, PARALLEL_READS, async (partition) => {
      const last = await lastReceivedAt(files, directory, partition);
      newest = Math.max(newest, last);
    });
    if (newest > 0) return newest;
  }
  return 0;
}

/** A record outside its partition's hour was changed by hand and is ignored. */
async function lastReceivedAt(files: StoreFiles, directory: string, { folder, hour }: Partition): Promise<number> {
  const path = join(directory, folder, COMMITS_FILE);
  const last = await withFile(files, path, 'read', findLastCommit).catch((error: unknown) => {
    // The folder is created before the file.
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  const micros = last?.record.receivedAtMicros ?? 0;
  return hourOfMicros(micros) === hour ? micros : 0;
}
