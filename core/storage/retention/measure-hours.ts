import { join } from 'node:path';
import { beginTimeSlice } from '../../time-slice.js';
import type { DataFolder } from '../files/store-files.js';
import { openClosedHours } from '../index/documents/hours-document.js';
import { HourSizes, type RecordSize } from '../record/hour-sizes.js';
import { COMMITS_FILE, type Partition, RAW_FILE, walkPartitions } from '../record/partitions/partition-path.js';
import type { RemovedPartition } from './ledger-line.js';

/** Measures the partitions of some hours, given in ascending order. */
export async function measurePartitions(folder: DataFolder, hours: readonly number[]): Promise<RemovedPartition[]> {
  const [from = 0, to = from] = [hours[0], hours.at(-1)];
  const slice = beginTimeSlice();
  const measured: RemovedPartition[] = [];
  for (const partition of await walkPartitions(folder.files, folder.directory, { from, to })) {
    if (hours.includes(partition.hour)) {
      measured.push({ partition, rawBytes: await bytesOf(folder, partition, RAW_FILE) });
    }
    if (slice.isOver) await slice.next();
  }
  return measured;
}

/** Creates a function that measures the hours of a record from one on, for a process that does not write it. */
export function createSizeMeter(folder: DataFolder): (fromHour: number) => Promise<RecordSize> {
  const sizes = new HourSizes();
  /** Hours before this one are measured. */
  let beforeHour = 0;
  return async (fromHour) => {
    if (beforeHour === 0) {
      const { data: closed } = await openClosedHours(folder.files, folder.directory);
      for (const hour of closed.hours) sizes.add(hour);
      beforeHour = closed.beforeHour;
    }
    const open = await measureOpen(folder, Math.max(fromHour, beforeHour));
    const newest = open.inOrder.at(-1)?.hour ?? beforeHour;
    // Only the newest hour may still grow.
    for (const hour of open.inOrder) if (hour.hour < newest && hour.hour >= beforeHour) sizes.add(hour);
    beforeHour = Math.max(beforeHour, newest);
    const [closed, last] = [sizes.sumFrom(fromHour), open.sumFrom(newest)];
    return { partitions: closed.partitions + last.partitions, rawBytes: closed.rawBytes + last.rawBytes };
  };
}

async function measureOpen(folder: DataFolder, from: number): Promise<HourSizes> {
  const sizes = new HourSizes();
  const slice = beginTimeSlice();
  for (const partition of await walkPartitions(folder.files, folder.directory, { from })) {
    const rawBytes = await bytesOf(folder, partition, RAW_FILE);
    const commitBytes = await bytesOf(folder, partition, COMMITS_FILE);
    sizes.addPartition({ partition, rawBytes, commitBytes });
    if (slice.isOver) await slice.next();
  }
  return sizes;
}

async function bytesOf({ files, directory }: DataFolder, { folder }: Partition, name: string): Promise<number> {
  return (await files.statNow(join(directory, folder, name)))?.bytes ?? 0;
}
