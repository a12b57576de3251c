import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import type { StoreFiles } from '../files/store-files.js';
import { formatMicros, hourOfMicros, MICROS_PER_HOUR } from '../record/partitions/arrival-clock.js';
import { type Partition, RAW_FILE } from '../record/partitions/partition-path.js';
import { walkPartitions } from '../record/partitions/walk-partitions.js';

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

/**
 * Returns Fault `RETENTION_RESTORED` if partitions were put back into removed hours, except `pending` ones, which are still to be
 * deleted.
 */
export async function findRestored(options: {
  files: StoreFiles;
  directory: string;
  beforeMicros: number;
  pending: readonly Partition[];
}): Promise<Fault | undefined> {
  const { files, directory, beforeMicros } = options;
  if (beforeMicros === 0) return undefined;
  const pending = new Set(options.pending.map(({ folder }) => folder));
  const restored: string[] = [];
  for (const { folder } of await walkPartitions(files, directory, { to: hourOfMicros(beforeMicros) - 1 })) {
    if (pending.has(folder)) continue;
    if ((await files.stat(join(directory, folder, RAW_FILE))) !== undefined) restored.push(folder);
  }
  if (restored.length === 0) return undefined;
  return new Fault(
    'RETENTION_RESTORED',
    `${restored.length} partitions lie in hours that retention removed (before ${formatMicros(beforeMicros)}), the first is ${restored[0]}. They are not counted and not deleted. To read them, move them into a separate data folder and open that with --data.`,
  );
}
