import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import { type DataFolder, type ReadableFile, type StoreFile, withFile } from '../files/store-files.js';
import {
  type CommitPosition,
  type CommitRecord,
  canBeRead,
  checksumOf,
  commitDamaged,
  encodeCommitRecord,
  isWhole,
  MAX_COMMIT_RAW_BYTES,
  positionAfter,
  RECOVERED_BATCH_ID,
} from './commits/commit-record.js';
import { findLastCommit, type PlacedCommit, readCommits, searchCommits } from './commits/commit-search.js';
import { type PlacedLine, readLines } from './io/read-lines.js';
import { salvageTail } from './io/salvage.js';
import { MICROS_PER_HOUR } from './partitions/arrival-clock.js';
import { COMMITS_FILE, isIn, type Partition, RAW_FILE } from './partitions/partition-path.js';
import { payloadOf } from './reader/decode-line.js';
import type { DurableFolders } from './writer/partition-logs.js';

interface RecoverPartitionOptions extends DataFolder {
  /** Commits up to here were durable: missing bytes are damage. Later ones belong to the last group commit. */
  durableMicros: number;
  /** The cursor of the index: adopted lines must come after it, or the index would miss them. */
  afterMicros: number;
  /** The greatest `received_at` of the record: adopted lines come after it. */
  lastReceivedAtMicros: number;
  /** True: whole raw lines after the last commit are adopted, and the rest is cut. False: they are left for a later call. */
  adopts: boolean;
  /** Folders that this recovery has synced. */
  folders: DurableFolders;
  onFault: (fault: Fault) => void;
}

/** What recovery changed in one partition. */
export interface PartitionRecovery {
  /** Whether raw bytes are left for a call that adopts. */
  readonly isRawLeft: boolean;
  readonly adopted: AdoptedLines | undefined;
  /** Commit records dropped because their bytes are missing. */
  readonly droppedCommits: number;
  /** Those of them that were durable. */
  readonly damagedCommits: number;
  readonly cutRawBytes: number;
  readonly cutCommitBytes: number;
}

/** Raw lines that got a commit record. */
interface AdoptedLines {
  readonly lines: number;
  /** Their new time. */
  readonly receivedAtMicros: number;
  /** They were received after this. */
  readonly afterMicros: number;
}

/**
 * Makes the two files of a partition consistent: drops commit records without their bytes, and if it `adopts`, gives whole raw lines after the
 * last commit a record and cuts the rest. Copies what it cuts, and syncs what is left. May be interrupted anywhere and repeated.
 */
export async function recoverPartition(
  partition: Partition,
  options: RecoverPartitionOptions,
): Promise<PartitionRecovery> {
  const { files, directory } = options;
  const folder = join(directory, partition.folder);
  return await withFile(files, join(folder, COMMITS_FILE), 'write', (commits) =>
    withFile(files, join(folder, RAW_FILE), 'write', (raw) => recoverFiles(partition, { commits, raw }, options)),
  );
}

async function recoverFiles(
  partition: Partition,
  { commits, raw }: { commits: StoreFile; raw: StoreFile },
  options: RecoverPartitionOptions,
): Promise<PartitionRecovery> {
  const { durableMicros, adopts, onFault } = options;
  const { lastGood, dropped } = await findCommitTail(commits, raw, durableMicros);
  const damaged = dropped.filter((record) => record.receivedAtMicros <= durableMicros);
  reportLost(partition, damaged, onFault);

  const adopted = adopts ? await recordsToAdopt(partition, raw, lastGood, options) : [];
  const rawEnd = positionAfter(adopted.at(-1) ?? lastGood?.record).offset;
  const commitsEnd = endOf(lastGood);

  const cutCommitBytes = await cut(commits, commitsEnd, `${partition.folder}/${COMMITS_FILE}`, options);
  const cutRawBytes = adopts ? await cut(raw, rawEnd, `${partition.folder}/${RAW_FILE}`, options) : 0;
  await raw.sync();
  await commits.write([Buffer.from(adopted.map(encodeCommitRecord).join(''), 'utf8')], commitsEnd);
  await commits.sync();
  await syncFolders(partition, options);
  return {
    isRawLeft: (await raw.size()) > rawEnd,
    adopted: describeAdopted(partition, adopted, lastGood, options),
    droppedCommits: dropped.length,
    damagedCommits: damaged.length,
    cutRawBytes,
    cutCommitBytes,
  };
}

/** Even if nothing was cut: the last process may not have synced, and from now on this counts as durable. */
async function syncFolders({ folder }: Partition, { files, folders }: RecoverPartitionOptions): Promise<void> {
  for (const unsynced of new Set(folders.missing(folder))) await files.syncFolder(unsynced);
  folders.remember(folder);
}

/** Reports adopted lines; undefined without any. */
function describeAdopted(
  partition: Partition,
  adopted: readonly CommitRecord[],
  lastGood: PlacedCommit | undefined,
  { afterMicros, onFault }: RecoverPartitionOptions,
): AdoptedLines | undefined {
  const [first] = adopted;
  if (first === undefined) return undefined;
  const lines = linesOf(adopted);
  onFault(linesAdopted(partition, first.line, lines));
  const lastGoodMicros = lastGood?.record.receivedAtMicros ?? 0;
  const receivedAfter = Math.max(afterMicros, lastGoodMicros, partition.hour * MICROS_PER_HOUR - 1);
  return { lines, receivedAtMicros: first.receivedAtMicros, afterMicros: receivedAfter };
}

/** Makes records for the whole lines after the last good commit, unless the index would miss them. */
async function recordsToAdopt(
  partition: Partition,
  raw: ReadableFile,
  lastGood: PlacedCommit | undefined,
  { afterMicros, lastReceivedAtMicros }: RecoverPartitionOptions,
): Promise<CommitRecord[]> {
  const receivedAtMicros = adoptionTimestamp(partition, lastReceivedAtMicros);
  if (receivedAtMicros <= afterMicros) return [];
  return await adoptLines(partition, raw, positionAfter(lastGood?.record), receivedAtMicros);
}

/** After everything else, within the partition's hour. */
function adoptionTimestamp({ hour }: Partition, lastMicros: number): number {
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

/** Reports one fault for all commits that are lost together. */
function reportLost(partition: Partition, damaged: readonly CommitRecord[], onFault: (fault: Fault) => void): void {
  const [first] = damaged;
  if (first === undefined) return;
  onFault(commitDamaged(partition, { ...first, lines: linesOf(damaged) }, 'were stored and are missing now'));
}

function linesOf(records: readonly CommitRecord[]): number {
  return records.reduce((sum, { lines }) => sum + lines, 0);
}

function linesAdopted({ folder }: Partition, line: number, lines: number): Fault {
  return new Fault(
    'LINES_ADOPTED',
    `${lines} lines of ${folder}/${RAW_FILE}, from line ${line} on, had no commit record, as after a crash or if ${COMMITS_FILE} was cut: they have a new time of receipt and new event ids. You need not do anything.`,
  );
}

/** The end of the valid commits of a partition. */
interface CommitTail {
  /** The last record that stays. */
  readonly lastGood: PlacedCommit | undefined;
  /** Later records: their bytes or fingerprints are missing or damaged, or a record before them is lost. */
  readonly dropped: readonly CommitRecord[];
}

/**
 * Finds the last valid commit. In the last group commit (records after `durableMicros`) every byte is checked, because the crash may have come
 * before its sync; for earlier ones only the length of the raw file is.
 */
async function findCommitTail(commits: ReadableFile, raw: ReadableFile, durableMicros: number): Promise<CommitTail> {
  const rawBytes = await raw.size();
  const isLongEnough = (record: CommitRecord): boolean => record.offset + record.bytes <= rawBytes;
  const last = await findLastCommit(commits);
  // If the last record's bytes exist, so do those of all before it, even if one of them says otherwise.
  const isComplete = last === undefined || isLongEnough(last.record);
  const complete = isComplete ? last : (await searchCommits(commits, isLongEnough)).before;
  const durable = await searchCommits(commits, (record) => record.receivedAtMicros <= durableMicros);
  let lastGood = endOf(complete) < endOf(durable.before) ? complete : durable.before;
  const dropped: CommitRecord[] = [];
  for await (const batch of readCommits(commits, { from: endOf(lastGood) })) {
    for (const commit of batch) {
      const isGood =
        dropped.length === 0 && follows(commit.record, lastGood?.record) && (await isIntact(raw, commit.record));
      if (isGood) lastGood = commit;
      else dropped.push(commit.record);
    }
  }
  return { lastGood, dropped };
}

function endOf(commit: PlacedCommit | undefined): number {
  return commit?.end ?? 0;
}

function follows(record: CommitRecord, before: CommitRecord | undefined): boolean {
  const { line, offset } = positionAfter(before);
  return record.line === line && record.offset === offset;
}

async function isIntact(raw: ReadableFile, record: CommitRecord): Promise<boolean> {
  if (record.fingerprints === 'damaged' || !canBeRead(record)) return false;
  return isWhole(record, await raw.read(record.offset, record.bytes));
}

/** Longest line to adopt; receivers accept less. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** Makes records for whole lines after the last commit: they arrived, but their append never resolved. */
async function adoptLines(
  partition: Partition,
  raw: ReadableFile,
  from: CommitPosition,
  receivedAtMicros: number,
): Promise<CommitRecord[]> {
  const spans: { line: number; lines: number; offset: number; bytes: number }[] = [];
  for await (const { start, bytes } of payloadLines(partition, raw, from.offset)) {
    const last = spans.at(-1);
    const length = bytes.length + 1;
    if (last !== undefined && last.bytes + length <= MAX_COMMIT_RAW_BYTES) {
      last.lines += 1;
      last.bytes += length;
    } else {
      const line = last === undefined ? from.line : last.line + last.lines;
      spans.push({ line, lines: 1, offset: start, bytes: length });
    }
  }
  const records: CommitRecord[] = [];
  for (const span of spans) {
    const crc32c = checksumOf(await raw.read(span.offset, span.bytes));
    const batches = [{ batchId: RECOVERED_BATCH_ID, lines: span.lines }];
    records.push({ ...span, receivedAtMicros, crc32c, batches });
  }
  return records;
}

async function* payloadLines(partition: Partition, raw: ReadableFile, from: number): AsyncGenerator<PlacedLine> {
  let next = from;
  for await (const lines of readLines(raw, { from, chunkBytes: MAX_COMMIT_RAW_BYTES, maxLineBytes: MAX_LINE_BYTES })) {
    for (const line of lines) {
      // A line longer than the limit leaves a gap.
      const payload = payloadOf(line.bytes);
      if (line.start !== next || payload === undefined || !isIn(partition, payload)) return;
      yield line;
      next = line.start + line.bytes.length + 1;
    }
  }
}
