import { dirname, join } from 'node:path';
import { beginTimeSlice } from '../../../time-slice.js';
import { settleAll } from '../io/settle-all.js';
import type { Partition } from '../partitions/partition-path.js';
import type { PartitionLog } from './partition-log.js';

/** Partitions whose lengths stay in memory, about a kilobyte each; others are read again from their last commit record. */
const MAX_REMEMBERED = 16_384;
const MAX_FLUSHED_AT_A_TIME = 8;

/**
 * The partitions that the writer uses. Files stay open between `acquire` and `release`; of the released partitions the least
 * recently used are closed beyond `maxOpen`, and forgotten when the hour is over.
 */
export class PartitionLogs {
  readonly #openLog: (partition: Partition) => Promise<PartitionLog>;
  readonly #maxOpen: number;
  /** By folder, least recently used first. */
  readonly #logs = new Map<string, PartitionLog>();
  /** Released with open files, least recently used first. */
  readonly #idle = new Set<PartitionLog>();

  constructor(openLog: (partition: Partition) => Promise<PartitionLog>, maxOpen: number) {
    this.#openLog = openLog;
    this.#maxOpen = maxOpen;
  }

  async acquire(partition: Partition): Promise<PartitionLog> {
    const log = this.#logs.get(partition.folder) ?? (await this.#openLog(partition));
    this.#logs.delete(partition.folder);
    this.#logs.set(partition.folder, log);
    this.#idle.delete(log);
    return log;
  }

  /** Also closes the least recently used files beyond `maxOpen`. */
  async release(log: PartitionLog): Promise<void> {
    this.#idle.add(log);
    for (const oldest of this.#idle) {
      if (this.#idle.size <= this.#maxOpen) break;
      this.#idle.delete(oldest);
      await oldest.closeFiles();
    }
  }

  /** Forgets clean partitions of other hours, and beyond `MAX_REMEMBERED` those of this hour. Call it between commits. */
  async forget(exceptHour: number): Promise<void> {
    const slice = beginTimeSlice();
    for (const [folder, log] of this.#logs) {
      const isOver = log.partition.hour !== exceptHour;
      if (!isOver && this.#logs.size <= MAX_REMEMBERED) break;
      if (log.isDirty) continue;
      this.#logs.delete(folder);
      this.#idle.delete(log);
      await log.closeFiles();
      if (slice.isOver) await slice.next();
    }
  }

  /** Syncs what was written without a sync; rejects with the first error. Files that were closed meanwhile were synced then. */
  async flush(): Promise<void> {
    const errors: unknown[] = [];
    const slice = beginTimeSlice();
    await settleAll([...this.#logs.values()], MAX_FLUSHED_AT_A_TIME, async (log) => {
      if (slice.isOver) await slice.next();
      // A file that cannot be synced must not keep others from it.
      await log.flush().catch((error: unknown) => errors.push(error));
    });
    if (errors.length > 0) throw errors[0];
  }

  async closeAll(): Promise<void> {
    const logs = [...this.#logs.values()];
    this.#logs.clear();
    this.#idle.clear();
    await settleAll(logs, logs.length, (log) => log.closeFiles());
  }
}

/** Partitions, and folders above them, that are remembered as durable; beyond these numbers they are synced again. */
const MAX_DURABLE_PARTITIONS = 20_000;
const MAX_DURABLE_FOLDERS = 100_000;

/**
 * Knows which folders of the raw tree must still be synced before their content survives a crash. It starts empty: another process may not
 * have synced the folders it created.
 */
export class DurableFolders {
  readonly #directory: string;
  /** Those whose own name and files are durable. */
  readonly #partitions = new Set<string>();
  /** Folders of names and dates whose name is durable in their parent. */
  readonly #folders = new Set<string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Absolute paths of folders to sync for this partition: its ancestors and itself. */
  missing(partitionFolder: string): readonly string[] {
    if (this.#partitions.has(partitionFolder)) return [];
    const unsynced = foldersAbove(partitionFolder).filter((folder) => !this.#folders.has(folder));
    const path = join(this.#directory, partitionFolder);
    return [...unsynced.map((folder) => dirname(join(this.#directory, folder))), dirname(path), path];
  }

  /** Call it after they were synced while the partition's files existed. */
  remember(partitionFolder: string): void {
    if (this.#partitions.has(partitionFolder)) return;
    if (this.#partitions.size >= MAX_DURABLE_PARTITIONS) this.#partitions.clear();
    if (this.#folders.size >= MAX_DURABLE_FOLDERS) this.#folders.clear();
    this.#partitions.add(partitionFolder);
    for (const folder of foldersAbove(partitionFolder)) this.#folders.add(folder);
  }
}

function foldersAbove(partitionFolder: string): string[] {
  const parts = partitionFolder.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
