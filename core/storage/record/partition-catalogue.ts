import type { StoreFiles } from '../files/store-files.js';
import type { Partition } from './partition.js';
import { walkPartitions } from './walk-partitions.js';

/** Which partitions there are, as far as they were looked for. */
export interface PartitionCatalogue {
  /** All partitions, walked anew, ordered by hour and folder. */
  walk(): Promise<readonly Partition[]>;
  /** Those of one hour and hash that were seen before: more than one only where hashes collide. */
  known(hour: number, hash: number): readonly Partition[];
  /** The same after walking that hour anew, because a writer may have added to it. */
  lookAgain(hour: number, hash: number): Promise<readonly Partition[]>;
}

/** Walks no folder before it is asked. */
export function createPartitionCatalogue(files: StoreFiles, directory: string): PartitionCatalogue {
  const byHour = new Map<number, Partition[]>();
  const known = (hour: number, hash: number): readonly Partition[] =>
    (byHour.get(hour) ?? []).filter((partition) => partition.hash === hash);

  return {
    async walk() {
      const all = await walkPartitions(files, directory);
      byHour.clear();
      for (const partition of all) {
        const sameHour = byHour.get(partition.hour);
        if (sameHour === undefined) byHour.set(partition.hour, [partition]);
        else sameHour.push(partition);
      }
      return all;
    },
    known,
    async lookAgain(hour, hash) {
      const found = await walkPartitions(files, directory, { from: hour, to: hour });
      // Hours without partitions are not remembered: ids from outside may name any.
      if (found.length > 0) byHour.set(hour, found);
      else byHour.delete(hour);
      return known(hour, hash);
    },
  };
}
