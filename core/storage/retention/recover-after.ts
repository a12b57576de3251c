import type { StoreFiles } from '../files/store-files.js';
import { hourOfMicros, MICROS_PER_HOUR } from '../record/partitions/arrival-clock.js';
import { walkPartitions } from '../record/partitions/walk-partitions.js';

/**
 * The instant after which recovery mends the record, for an index that needs it after `cursorMicros`. Recovery looks at the whole hour of its instant.
 * Where that is the last hour that retention removed, what still lies there is half deleted or was put back, and none of its business:
 * then it begins with the next hour.
 */
export async function recoverAfter(files: StoreFiles, directory: string, cursorMicros: number): Promise<number> {
  const hour = hourOfMicros(cursorMicros);
  if (cursorMicros !== (hour + 1) * MICROS_PER_HOUR - 1) return cursorMicros;
  const left = await walkPartitions(files, directory, { from: hour, to: hour });
  return left.length === 0 ? cursorMicros : cursorMicros + 1;
}
