import { beginTimeSlice } from '../../time-slice.js';
import type { StoreFiles } from '../files/store-files.js';
import { lastReceivedAt } from '../record/inspect-partitions.js';
import { settleAll } from '../record/io/settle-all.js';
import { walkPartitions } from '../record/partitions/partition-path.js';

const PARALLEL_READS = 8;

/**
 * The greatest `received_at` in the partitions from an hour on; 0 if they are empty. All commits before it are whole. Without this bound a
 * reader would miss a commit that reaches a partition after that one was read and before the next.
 */
export async function readFrontier(files: StoreFiles, directory: string, fromHour: number): Promise<number> {
  const partitions = await walkPartitions(files, directory, { from: fromHour });
  const slice = beginTimeSlice();
  for (const hour of new Set(partitions.map((partition) => partition.hour).reverse())) {
    let newest = 0;
    const sameHour = partitions.filter((partition) => partition.hour === hour);
    await settleAll(sameHour, PARALLEL_READS, async (partition) => {
      if (slice.isOver) await slice.next();
      const last = await lastReceivedAt({ files, directory }, partition);
      newest = Math.max(newest, last);
    });
    if (newest > 0) return newest;
  }
  return 0;
}
