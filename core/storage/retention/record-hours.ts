import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import type { DataFolder, StoreFiles } from '../files/store-files.js';
import { settleAll } from '../record/io/settle-all.js';
import { formatMicros, hourOfMicros, MICROS_PER_HOUR } from '../record/partitions/arrival-clock.js';
import { COMMITS_FILE, type Partition, RAW_FILE, walkPartitions } from '../record/partitions/partition-path.js';
import type { HourSize } from './choose-removal.js';
import type { RemovedPartition } from './ledger-line.js';
import type { RetentionLedger } from './retention-ledger.js';

/** An hour of the record with its partitions. */
export interface RecordHour extends HourSize {
  readonly partitions: readonly RemovedPartition[];
}

const MAX_PARALLEL_STATS = 16;

/** Creates a function that returns all hours from `fromHour`, oldest first; all but the last are measured once. */
export function createHourMeter({
  files,
  directory,
}: DataFolder): (fromHour: number) => Promise<readonly RecordHour[]> {
  const hours = new Map<number, RecordHour>();
  const sizeOf = async ({ folder }: Partition, name: string): Promise<number> =>
    (await files.stat(join(directory, folder, name)))?.bytes ?? 0;
  return async (fromHour) => {
    for (const hour of hours.keys()) if (hour < fromHour) hours.delete(hour);
    const partitions = await walkPartitions(files, directory, { from: Math.max(fromHour, ...hours.keys()) });
    const found = new Map<number, { hour: number; bytes: number; partitions: RemovedPartition[] }>();
    await settleAll(partitions, MAX_PARALLEL_STATS, async (partition) => {
      const [rawBytes, commitBytes] = [await sizeOf(partition, RAW_FILE), await sizeOf(partition, COMMITS_FILE)];
      const hour = found.get(partition.hour) ?? { hour: partition.hour, bytes: 0, partitions: [] };
      found.set(partition.hour, hour);
      hour.bytes += rawBytes + commitBytes;
      hour.partitions.push({ partition, rawBytes });
    });
    for (const [hour, size] of found) hours.set(hour, size);
    return [...hours.values()].sort((left, right) => left.hour - right.hour);
  };
}

/**
 * Returns the timestamp after which recovery repairs the record, for an index at `cursorMicros`. Recovery reads the whole hour of its
 * timestamp, so it starts one hour later if retention removed that hour and files are left in it.
 */
export async function recoverAfter(files: StoreFiles, directory: string, cursorMicros: number): Promise<number> {
  const hour = hourOfMicros(cursorMicros);
  if (cursorMicros !== (hour + 1) * MICROS_PER_HOUR - 1) return cursorMicros;
  const left = await walkPartitions(files, directory, { from: hour, to: hour });
  return left.length === 0 ? cursorMicros : cursorMicros + 1;
}

/** Returns `RETENTION_RESTORED` if partitions were put back into removed hours, except those that are still to be deleted. */
export async function findRestored(
  { files, directory }: DataFolder,
  { pending, totals: { beforeMicros } }: Pick<RetentionLedger, 'pending' | 'totals'>,
): Promise<Fault | undefined> {
  if (beforeMicros === 0) return undefined;
  const unfinished = new Set(pending.map(({ folder }) => folder));
  const restored: string[] = [];
  for (const { folder } of await walkPartitions(files, directory, { to: hourOfMicros(beforeMicros) - 1 })) {
    if (unfinished.has(folder)) continue;
    if ((await files.stat(join(directory, folder, RAW_FILE))) !== undefined) restored.push(folder);
  }
  if (restored.length === 0) return undefined;
  return new Fault(
    'RETENTION_RESTORED',
    `${restored.length} partitions lie in hours that retention removed (before ${formatMicros(beforeMicros)}), the first is ${restored[0]}. They are not counted and not deleted. To read them, move them into a separate data folder and open that with --data.`,
  );
}
