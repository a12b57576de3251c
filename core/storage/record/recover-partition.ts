import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import type { DataFolder, StoreFile } from '../files/store-files.js';
import { adoptLines } from './adopt-lines.js';
import { MICROS_PER_HOUR } from './arrival-time.js';
import { type CommitRecord, encodeCommitRecord } from './commit-record.js';
import { findCommitTail } from './commit-tail.js';
import { commitDamaged } from './damage.js';
import { createDurableFolders } from './durable-folders.js';
import type { Partition } from './partition.js';
import { COMMITS_FILE, RAW_FILE } from './partition-path.js';
import { salvageTail } from './salvage.js';

/** What is known of the whole record while one partition is mended. */
export interface RecoverPartitionOptions extends DataFolder {
  /** Commits up to here were durable: what is missing of them is damage. Later ones belong to the last group commit. */
  durableMicros: number;
  /** The index's cursor: adopted lines must come after it, or the index would never see them. */
  afterMicros: number;
  /** The greatest instant of the record so far. */
  lastMicros: number;
  /** True: whole raw lines behind the last commit become one, and the rest of them is cut. False: they are left for a later call. */
  adopts: boolean;
  onFault: (fault: Fault) => void;
}

/** What was done to one partition. */
export interface PartitionRecovery {
  readonly adoptedLines: number;
  /** When the last lines with a commit record were received; 0 when there are none. */
  readonly keptMicros: number;
  /** When the adopted lines count as received; undefined when there are none. */
  readonly adoptedAtMicros: number | undefined;
  readonly droppedCommits: number;
  readonly damagedCommits: number;
  readonly cutRawBytes: number;
  readonly cutCommitBytes: number;
}

/**
 * Makes the two files of a partition agree: drops commit records without their bytes, and where it `adopts`, gives whole raw lines behind the last
 * commit one and cuts the rest. Syncs what is left. What is cut is copied first. May end anywhere and be run again.
 */
export async function recoverPartition(
  partition: Partition,
  options: RecoverPartitionOptions,
): Promise<PartitionRecovery> {
  const folder = join(options.directory, partition.folder);
  const commits = await options.files.open(join(folder, COMMITS_FILE), 'write');
  try {
    const raw = await options.files.open(join(folder, RAW_FILE), 'write');
    try {
      return await mend(partition, { commits, raw }, options);
    } finally {
      await raw.close();
    }
  } finally {
    await commits.close();
  }
}

async function mend(
  partition: Partition,
  { commits, raw }: { commits: StoreFile; raw: StoreFile },
  options: RecoverPartitionOptions,
): Promise<PartitionRecovery> {
  const { kept, dropped } = await findCommitTail(commits, raw, options.durableMicros);
  const line = kept === undefined ? 0 : kept.record.line + kept.record.lines;
  const offset = kept === undefined ? 0 : kept.record.offset + kept.record.bytes;
  const damaged = dropped.filter((record) => record.receivedAtMicros <= options.durableMicros);
  reportLost(partition, damaged, options.onFault);

  const receivedAtMicros = adoptionInstant(partition, options);
  const isSeen = receivedAtMicros > options.afterMicros;
  const adopted = options.adopts && isSeen ? await adoptLines(partition, raw, { line, offset }, receivedAtMicros) : [];
  const last = adopted.at(-1);
  const rawEnd = last === undefined ? offset : last.offset + last.bytes;

  const cutCommitBytes = await cut(commits, kept?.end ?? 0, `${partition.folder}/${COMMITS_FILE}`, options);
  const cutRawBytes = options.adopts ? await cut(raw, rawEnd, `${partition.folder}/${RAW_FILE}`, options) : 0;
  await raw.sync();
  await commits.write([Buffer.from(adopted.map(encodeCommitRecord).join(''), 'utf8')], kept?.end ?? 0);
  await commits.sync();
  // Also when nothing was cut: what the last process wrote may never have been synced, and counts as durable from now on.
  const folders = new Set(createDurableFolders(options.directory).missing(partition.folder));
  for (const folder of folders) await options.files.syncFolder(folder);
  const adoptedLines = adopted.reduce((sum, { lines }) => sum + lines, 0);
  if (adoptedLines > 0) options.onFault(linesAdopted(partition, line, adoptedLines));
  return {
    adoptedLines,
    keptMicros: kept?.record.receivedAtMicros ?? 0,
    adoptedAtMicros: adopted.length === 0 ? undefined : receivedAtMicros,
    droppedCommits: dropped.length,
    damagedCommits: damaged.length,
    cutRawBytes,
    cutCommitBytes,
  };
}

/** After everything else, but within the partition's hour. */
function adoptionInstant({ hour }: Partition, { lastMicros }: RecoverPartitionOptions): number {
  return Math.min(Math.max(lastMicros + 1, hour * MICROS_PER_HOUR), (hour + 1) * MICROS_PER_HOUR - 1);
}

async function cut(
  file: StoreFile,
  end: number,
  path: string,
  { files, directory }: RecoverPartitionOptions,
): Promise<number> {
  const bytes = (await file.size()) - end;
  if (bytes <= 0) return 0;
  await salvageTail({ files, directory, path, file, from: end });
  await file.truncate(end);
  return bytes;
}

/** One fault for all commits that are lost together. */
function reportLost(partition: Partition, damaged: readonly CommitRecord[], onFault: (fault: Fault) => void): void {
  const [first] = damaged;
  if (first === undefined) return;
  const lines = damaged.reduce((sum, record) => sum + record.lines, 0);
  onFault(commitDamaged(partition, { ...first, lines }, 'were stored and are no longer in the file'));
}

function linesAdopted({ folder }: Partition, line: number, lines: number): Fault {
  return new Fault(
    'LINES_ADOPTED',
    `${lines} lines of ${folder}/${RAW_FILE}, from line ${line} on, had no commit record, as after a crash or where ${COMMITS_FILE} was cut: they were dated anew, and their event ids are new. Nothing has to be done.`,
  );
}
