import type { Partition } from './partition.js';
import type { PartitionLog } from './partition-log.js';
import { settleAll } from './settle-all.js';

/** Lengths are remembered for this many partitions; one that was forgotten is read again from its last commit record. */
const MAX_REMEMBERED = 4096;
const MAX_FLUSHED_AT_A_TIME = 8;

/**
 * The partitions that the writer knows. Who takes one gives it back; while it is taken its files stay open.
 * Of those given back the least recently used are closed beyond `maxOpen`, and forgotten when the hour is over.
 */
export class PartitionLogs {
  readonly #openLog: (partition: Partition) => Promise<PartitionLog>;
  readonly #maxOpen: number;
  /** By folder, least recently used first. */
  readonly #known = new Map<string, PartitionLog>();
  /** Given back with open files, least recently used first. */
  readonly #idle = new Set<PartitionLog>();

  constructor(options: { open: (partition: Partition) => Promise<PartitionLog>; maxOpen: number }) {
    this.#openLog = options.open;
    this.#maxOpen = options.maxOpen;
  }

  async take(partition: Partition): Promise<PartitionLog> {
    const log = this.#known.get(partition.folder) ?? (await this.#openLog(partition));
    this.#known.delete(partition.folder);
    this.#known.set(partition.folder, log);
    this.#idle.delete(log);
    return log;
  }

  /** Closes the files of others that were not used for longer. */
  async giveBack(log: PartitionLog): Promise<void> {
    this.#idle.add(log);
    for (const oldest of this.#idle) {
      if (this.#idle.size <= this.#maxOpen) break;
      this.#idle.delete(oldest);
      await oldest.release();
    }
  }

  /** Between commits: forgets partitions that were given back whole, those of other hours first of all. */
  async forget(exceptHour: number): Promise<void> {
    for (const [folder, log] of this.#known) {
      const isOver = log.partition.hour !== exceptHour;
      if (!isOver && this.#known.size <= MAX_REMEMBERED) break;
      if (log.isDirty) continue;
      this.#known.delete(folder);
      this.#idle.delete(log);
      await log.release();
    }
  }

  /** Syncs what was written without it. Files that were let go of meanwhile were synced then. */
  async flush(): Promise<void> {
    await settleAll([...this.#known.values()], MAX_FLUSHED_AT_A_TIME, (log) => log.flush());
  }

  /** Closes all files. */
  async closeAll(): Promise<void> {
    const logs = [...this.#known.values()];
    this.#known.clear();
    this.#idle.clear();
    await settleAll(logs, logs.length, (log) => log.release());
  }
}
