import { join } from 'node:path';
import type { StoreFiles } from '../files/store-files.js';
import { settleAll } from '../record/io/settle-all.js';
import { COMMITS_FILE, RAW_FILE } from '../record/partitions/partition-path.js';
import { walkPartitions } from '../record/partitions/walk-partitions.js';
import type { HourSize } from './choose-removal.js';
import type { RemovedPartition } from './ledger-line.js';

/** An hour of the record with its partitions. */
export interface RecordHour extends HourSize {
  readonly partitions: readonly RemovedPartition[];
}

const MAX_PARALLEL_STATS = 16;

/** Sizes of the record's hours. All but the last one never change and are measured once. */
export class RecordHours {
  readonly #files: StoreFiles;
  readonly #directory: string;
  readonly #hours = new Map<number, RecordHour>();

  constructor(files: StoreFiles, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  /** Returns all hours from `fromHour`, oldest first, and discards earlier ones. */
  async measure(fromHour: number): Promise<readonly RecordHour[]> {
    for (const hour of this.#hours.keys()) if (hour < fromHour) this.#hours.delete(hour);
    const from = Math.max(fromHour, ...this.#hours.keys());
    const found = new Map<number, { bytes: number; partitions: RemovedPartition[] }>();
    await settleAll(
      await walkPartitions(this.#files, this.#directory, { from }),
      MAX_PARALLEL_STATS,
      async (partition) => {
        const [rawBytes, commitBytes] = await Promise.all([
          this.#sizeOf(partition.folder, RAW_FILE),
          this.#sizeOf(partition.folder, COMMITS_FILE),
        ]);
        const hour = found.get(partition.hour) ?? { bytes: 0, partitions: [] };
        found.set(partition.hour, hour);
        hour.bytes += rawBytes + commitBytes;
        hour.partitions.push({ partition, rawBytes });
      },
    );
    for (const [hour, size] of found) this.#hours.set(hour, { hour, ...size });
    return [...this.#hours.values()].sort((left, right) => left.hour - right.hour);
  }

  async #sizeOf(folder: string, name: string): Promise<number> {
    return (await this.#files.stat(join(this.#directory, folder, name)))?.bytes ?? 0;
  }
}
