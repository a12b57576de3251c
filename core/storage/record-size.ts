import { join } from 'node:path';
import type { DataFolder } from './files/store-files.js';
import { hourOfMs } from './index/hour-counts.js';
import { hourOfMicros } from './record/arrival-time.js';
import { RAW_FILE } from './record/partition-path.js';
import type { RecordReader } from './record/record-reader.js';
import { settleAll } from './record/settle-all.js';

/** How much the record holds. */
export interface RecordSize {
  readonly partitions: number;
  /** Bytes of all raw files. */
  readonly rawBytes: number;
}

const PARALLEL_LOOKS = 16;

/** Measures the record by looking at its files; partitions of past hours are never appended to again and are looked at once. */
export function createRecordMeter(
  options: DataFolder & {
    record: Pick<RecordReader, 'partitions'>;
    nowMs: () => number;
    /** Partitions of hours before this instant, in microseconds, are not counted: retention removed them. */
    removedBeforeMicros: () => number;
  },
): () => Promise<RecordSize> {
  const closed = new Map<string, { readonly hour: number; readonly bytes: number }>();
  return async () => {
    const firstHour = hourOfMicros(options.removedBeforeMicros());
    const partitions = (await options.record.partitions()).filter(({ hour }) => hour >= firstHour);
    for (const [folder, { hour }] of closed) if (hour < firstHour) closed.delete(folder);
    const lastClosedHour = hourOfMs(options.nowMs()) - 2;
    let rawBytes = 0;
    await settleAll(partitions, PARALLEL_LOOKS, async ({ folder, hour }) => {
      const bytes =
        closed.get(folder)?.bytes ?? (await options.files.stat(join(options.directory, folder, RAW_FILE)))?.bytes ?? 0;
      if (hour <= lastClosedHour) closed.set(folder, { hour, bytes });
      rawBytes += bytes;
    });
    return { partitions: partitions.length, rawBytes };
  };
}
