import { dirname, join } from 'node:path';
import { beginTimeSlice } from '../../../time-slice.js';
import type { StoreFiles } from '../../files/store-files.js';
import { positionAfter } from '../commits/commit-record.js';
import { findLastCommit } from '../commits/commit-search.js';
import type { MeasuredHour } from '../hour-sizes.js';
import { AppendFile } from '../io/append-file.js';
import { createReadHandles } from '../io/file-handles.js';
import { settleAll } from '../io/settle-all.js';
import { COMMITS_FILE, type Partition, RAW_FILE } from '../partitions/partition-path.js';

/** The two files of one partition, open for appending. */
export class PartitionLog {
  readonly partition: Partition;
  readonly raw: AppendFile;
  readonly commits: AppendFile;
  /** Committed lines: the number of the next one. */
  lines: number;
  /** `plainFrom` of the next commit record. */
  plainFrom: number;

  constructor(
    partition: Partition,
    files: { raw: AppendFile; commits: AppendFile },
    { lines, plainFrom }: { lines: number; plainFrom: number },
  ) {
    this.partition = partition;
    this.raw = files.raw;
    this.commits = files.commits;
    this.lines = lines;
    this.plainFrom = plainFrom;
  }

  /** True while the files may hold refused lines. */
  get isDirty(): boolean {
    return this.raw.isDirty || this.commits.isDirty;
  }

  /** Rejects with `RECORD_MOVED` if a file is not at its path. */
  async check(): Promise<void> {
    await this.raw.check();
    await this.commits.check();
  }

  /** Runs a step on both files at once; throws the first failure when both have ended. */
  async onBoth(step: (file: AppendFile) => Promise<void>): Promise<void> {
    await settleAll([this.raw, this.commits], 2, step);
  }

  /** Makes everything written good; returns what it added to the hour. */
  accept(lines: number): MeasuredHour {
    const [rawBefore, commitsBefore] = [this.raw.goodBytes, this.commits.goodBytes];
    this.raw.accept();
    this.commits.accept();
    this.lines += lines;
    return {
      hour: this.partition.hour,
      partitions: rawBefore === 0 ? 1 : 0,
      rawBytes: this.raw.goodBytes - rawBefore,
      commitBytes: this.commits.goodBytes - commitsBefore,
    };
  }
}

const closeHandle = (file: AppendFile): Promise<void> => file.closeHandle();

/** Opens a partition at the end of its last commit; creates its folder if missing. */
export async function openPartitionLog(
  files: StoreFiles,
  directory: string,
  partition: Partition,
  durable: boolean,
): Promise<PartitionLog> {
  const folder = join(directory, partition.folder);
  await files.makeFolder(folder);
  for (let one = folder; one !== directory; one = dirname(one)) {
    // Readers of the record do not follow links.
    if ((await files.statNow(one))?.kind === 'other') throw new Error(`${one} is a symbolic link: put a folder there`);
  }
  const handles = createReadHandles(files, 1);
  try {
    const last = await findLastCommit(handles.file(join(folder, COMMITS_FILE)));
    const { line, offset } = positionAfter(last?.record);
    const raw = new AppendFile(files, join(folder, RAW_FILE), { goodBytes: offset, durable });
    const commits = new AppendFile(files, join(folder, COMMITS_FILE), { goodBytes: last?.end ?? 0, durable });
    return new PartitionLog(partition, { raw, commits }, { lines: line, plainFrom: last?.record.plainFrom ?? offset });
  } finally {
    await handles.close();
  }
}

/** Partitions whose lengths stay in memory, about a kilobyte each; others are read again from their last commit record. */
const MAX_KNOWN = 16_384;
const MAX_FLUSHED_AT_A_TIME = 8;

/**
 * The partitions that the writer uses. Files stay open between `acquire` and `release`; of the released partitions the least
 * recently used are closed beyond `maxOpen`, and forgotten when the hour is over.
 */
export class PartitionLogs {
  readonly #openLog: (partition: Partition) => Promise<PartitionLog>;
  readonly #maxOpen: number;
  /** By folder, least recently used first. */
  readonly #known = new Map<string, PartitionLog>();
  /** Released with open files, least recently used first. */
  readonly #idle = new Set<PartitionLog>();

  constructor(openLog: (partition: Partition) => Promise<PartitionLog>, maxOpen: number) {
    this.#openLog = openLog;
    this.#maxOpen = maxOpen;
  }

  async acquire(partition: Partition): Promise<PartitionLog> {
    const log = this.#known.get(partition.folder) ?? (await this.#openLog(partition));
    this.#known.delete(partition.folder);
    this.#known.set(partition.folder, log);
    this.#idle.delete(log);
    return log;
  }

  /** Also closes the least recently used files beyond `maxOpen`. */
  async release(log: PartitionLog): Promise<void> {
    this.#idle.add(log);
    for (const oldest of this.#idle) {
      if (this.#idle.size <= this.#maxOpen) break;
      this.#idle.delete(oldest);
      await oldest.onBoth(closeHandle);
    }
  }

  /** Forgets clean partitions of other hours, and beyond `MAX_KNOWN` those of this hour. Call it between commits. */
  async forget(exceptHour: number): Promise<void> {
    const slice = beginTimeSlice();
    for (const [folder, log] of this.#known) {
      const isOver = log.partition.hour !== exceptHour;
      if (!isOver && this.#known.size <= MAX_KNOWN) break;
      if (log.isDirty) continue;
      this.#known.delete(folder);
      this.#idle.delete(log);
      await log.onBoth(closeHandle);
      if (slice.isOver) await slice.next();
    }
  }

  /** Syncs what was written without a sync; rejects with the first error. Files that were closed meanwhile were synced then. */
  async flush(): Promise<void> {
    const errors: unknown[] = [];
    const slice = beginTimeSlice();
    await settleAll([...this.#known.values()], MAX_FLUSHED_AT_A_TIME, async (log) => {
      if (slice.isOver) await slice.next();
      // A file that cannot be synced must not keep others from it.
      await log.onBoth((file) => file.flush()).catch((error: unknown) => errors.push(error));
    });
    if (errors.length > 0) throw errors[0];
  }

  async closeAll(): Promise<void> {
    const logs = [...this.#known.values()];
    this.#known.clear();
    this.#idle.clear();
    await settleAll(logs, logs.length, (log) => log.onBoth(closeHandle));
  }
}

/** Partitions, and folders above them, that are remembered as durable; beyond these numbers they are synced again. */
const MAX_DURABLE_PARTITIONS = 20_000;
const MAX_DURABLE_FOLDERS = 100_000;

/** Tracks which folders of the raw tree must still be synced before their content survives a crash. */
export interface DurableFolders {
  /** Absolute paths of folders to sync for this partition: its ancestors and itself. */
  missing(partitionFolder: string): readonly string[];
  /** Call it after they were synced while the partition's files existed. */
  remember(partitionFolder: string): void;
}

/** Starts empty: another process may not have synced the folders it created. */
export function createDurableFolders(directory: string): DurableFolders {
  /** Those whose own name and files are durable. */
  const partitions = new Set<string>();
  /** Folders of names and dates whose name is durable in their parent. */
  const folders = new Set<string>();

  const foldersAbove = (partitionFolder: string): string[] => {
    const parts = partitionFolder.split('/').slice(0, -1);
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  };
  return {
    missing(partitionFolder) {
      if (partitions.has(partitionFolder)) return [];
      const unknown = foldersAbove(partitionFolder).filter((folder) => !folders.has(folder));
      const path = join(directory, partitionFolder);
      return [...unknown.map((folder) => dirname(join(directory, folder))), dirname(path), path];
    },
    remember(partitionFolder) {
      if (partitions.has(partitionFolder)) return;
      if (partitions.size >= MAX_DURABLE_PARTITIONS) partitions.clear();
      if (folders.size >= MAX_DURABLE_FOLDERS) folders.clear();
      partitions.add(partitionFolder);
      for (const folder of foldersAbove(partitionFolder)) folders.add(folder);
    },
  };
}
