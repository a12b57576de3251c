import { dirname, join } from 'node:path';
import type { StoreFiles } from '../../files/store-files.js';
import { findLastCommit } from '../commits/commit-search.js';
import { AppendFile } from '../io/append-file.js';
import { settleAll } from '../io/settle-all.js';
import { COMMITS_FILE, type Partition, RAW_FILE } from '../partitions/partition-path.js';

/** The two files of one partition, as the writer has them. */
export class PartitionLog {
  readonly partition: Partition;
  readonly raw: AppendFile;
  readonly commits: AppendFile;
  /** Lines that are committed: the number of the next one. */
  lines: number;

  constructor(partition: Partition, files: { raw: AppendFile; commits: AppendFile }, lines: number) {
    this.partition = partition;
    this.raw = files.raw;
    this.commits = files.commits;
    this.lines = lines;
  }

  /** True while lines that were refused may still lie in the files. */
  get isDirty(): boolean {
    return this.raw.isDirty || this.commits.isDirty;
  }

  async sync(): Promise<void> {
    await settleAll([this.raw, this.commits], 2, (file) => file.sync());
  }

  /** Makes sure that all that was written lies at its path. */
  async check(): Promise<void> {
    await this.raw.check();
    await this.commits.check();
  }

  /** Syncs also what nobody asked to be durable. */
  async flush(): Promise<void> {
    await settleAll([this.raw, this.commits], 2, (file) => file.flush());
  }

  accept(lines: number): void {
    this.raw.accept();
    this.commits.accept();
    this.lines += lines;
  }

  /** Takes back what was not accepted; safe to call again after it failed. */
  async revert(): Promise<void> {
    await settleAll([this.raw, this.commits], 2, (file) => file.revert());
  }

  async release(): Promise<void> {
    await settleAll([this.raw, this.commits], 2, (file) => file.release());
  }
}

/** Opens a partition where its last commit record left it; makes its folder when absent. */
export async function openPartitionLog(
  files: StoreFiles,
  directory: string,
  partition: Partition,
  options: { durable: boolean },
): Promise<PartitionLog> {
  const folder = join(directory, partition.folder);
  await files.makeFolder(folder);
  for (let one = folder; one !== directory; one = dirname(one)) {
    // Who reads the record follows no links: what lies behind one would never be found.
    if ((await files.stat(one))?.kind === 'other') throw new Error(`${one} is a symbolic link: put a folder there`);
  }
  const commitsPath = join(folder, COMMITS_FILE);
  const last = (await files.stat(commitsPath)) === undefined ? undefined : await lastCommit(files, commitsPath);
  const appendFile = (name: string, goodBytes: number): AppendFile =>
    new AppendFile(files, join(folder, name), { goodBytes, durable: options.durable });
  return new PartitionLog(
    partition,
    {
      raw: appendFile(RAW_FILE, last === undefined ? 0 : last.record.offset + last.record.bytes),
      commits: appendFile(COMMITS_FILE, last?.end ?? 0),
    },
    last === undefined ? 0 : last.record.line + last.record.lines,
  );
}

async function lastCommit(files: StoreFiles, path: string): ReturnType<typeof findLastCommit> {
  const file = await files.open(path, 'read');
  try {
    return await findLastCommit(file);
  } finally {
    await file.close();
  }
}

/** Lengths are remembered for this many partitions; one that was forgotten is read again from its last commit record. */
const MAX_KNOWN = 4096;
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

  async acquire(partition: Partition): Promise<PartitionLog> {
    const log = this.#known.get(partition.folder) ?? (await this.#openLog(partition));
    this.#known.delete(partition.folder);
    this.#known.set(partition.folder, log);
    this.#idle.delete(log);
    return log;
  }

  /** Closes the files of others that were not used for longer. */
  async release(log: PartitionLog): Promise<void> {
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
      if (!isOver && this.#known.size <= MAX_KNOWN) break;
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

/** Folders that are remembered as durable; beyond it they are simply synced again. */
const MAX_REMEMBERED = 20_000;

/** Knows which folders of the raw tree still have to be synced before what lies in them survives a crash. */
export interface DurableFolders {
  /** Absolute paths of folders to sync: those that name a part of this partition's path, and the one that names its files. */
  missing(partitionFolder: string): readonly string[];
  /** They were synced while the partition's files existed. */
  remember(partitionFolder: string): void;
}

/** Knows nothing at first: what another process made may not have been synced by it. */
export function createDurableFolders(directory: string): DurableFolders {
  // A folder is in here when its name is durable in the folder above; a partition ends in `/` for the names of its files.
  let durable = new Set<string>();
  const steps = (partitionFolder: string): string[] => {
    const parts = partitionFolder.split('/');
    return [...parts.map((_, index) => parts.slice(0, index + 1).join('/')), `${partitionFolder}/`];
  };
  return {
    missing(partitionFolder) {
      if (durable.has(`${partitionFolder}/`)) return [];
      return steps(partitionFolder)
        .filter((step) => !durable.has(step))
        .map((step) => join(directory, step.slice(0, Math.max(0, step.lastIndexOf('/')))));
    },
    remember(partitionFolder) {
      if (durable.has(`${partitionFolder}/`)) return;
      if (durable.size >= MAX_REMEMBERED) durable = new Set();
      for (const step of steps(partitionFolder)) durable.add(step);
    },
  };
}
