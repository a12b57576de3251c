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
  /** True: whole raw lines after the last commit are adopted, and the rest is cut. False: they are left for a later call. */
  adopts: boolean;
  /** Folders that this recovery has synced. */
  folders: DurableFolders;
  onFault: (fault: Fault) => void;
}

/** Result of recovery. */
export interface RecoveryResult {
  /** Inspected partitions. */
  partitions: number;
  /** The greatest `received_at` of the record, adopted lines included; at least `afterMicros`. */
  lastReceivedAtMicros: number;
  /** Raw lines that got a commit record; reported as `LINES_ADOPTED`. */
  adoptedLines: number;
  /** A timestamp before all adopted lines; undefined if none. */
  adoptedAfterMicros: number | undefined;
  /** Commit records dropped because their bytes are missing. */
  droppedCommits: number;
  /** Those of them that were durable; each loss was reported to `onFault`. */
  damagedCommits: number;
  /** Bytes cut from raw files after copying them to `salvage/`. */
  cutRawBytes: number;
  /** Bytes cut from commit files, likewise. */
  cutCommitBytes: number;
}

/**
 * Makes the two files of a partition consistent: drops commit records without their bytes, and if it `adopts`, gives whole raw lines after the
 * last commit a record and cuts the rest. Copies what it cuts, syncs what is left, and adds it all to `result`. Returns whether raw bytes are
 * left for a call that adopts. May be interrupted anywhere and repeated.
 */
export async function recoverPartition(
  partition: Partition,
  options: RecoverPartitionOptions,
  result: RecoveryResult,
): Promise<boolean> {
  const { files, directory } = options;
  const folder = join(directory, partition.folder);
  return await withFile(files, join(folder, COMMITS_FILE), 'write', (commits) =>
    withFile(files, join(folder, RAW_FILE), 'write', (raw) =>
      recoverFiles(partition, { commits, raw }, options, result),
    ),
  );
}

async function recoverFiles(
  partition: Partition,
  { commits, raw }: { commits: StoreFile; raw: StoreFile },
  options: RecoverPartitionOptions,
  result: RecoveryResult,
): Promise<boolean> {
  const { files, durableMicros, afterMicros, adopts, folders, onFault } = options;
  const { kept, dropped } = await findCommitTail(commits, raw, durableMicros);
  const { line, offset } = positionAfter(kept?.record);
  const damaged = dropped.filter((record) => record.receivedAtMicros <= durableMicros);
  reportLost(partition, damaged, onFault);

  const receivedAtMicros = adoptionTimestamp(partition, result.lastReceivedAtMicros);
  const isSeen = receivedAtMicros > afterMicros;
  const adopted = adopts && isSeen ? await adoptLines(partition, raw, { line, offset }, receivedAtMicros) : [];
  const rawEnd = positionAfter(adopted.at(-1) ?? kept?.record).offset;

  result.cutCommitBytes += await cut(commits, kept?.end ?? 0, `${partition.folder}/${COMMITS_FILE}`, options);
  if (adopts) result.cutRawBytes += await cut(raw, rawEnd, `${partition.folder}/${RAW_FILE}`, options);
  await raw.sync();
  await commits.write([Buffer.from(adopted.map(encodeCommitRecord).join(''), 'utf8')], kept?.end ?? 0);
  await commits.sync();
  // Even if nothing was cut: the last process may not have synced, and from now on this counts as durable.
  for (const folder of new Set(folders.missing(partition.folder))) await files.syncFolder(folder);
  folders.remember(partition.folder);
  result.droppedCommits += dropped.length;
  result.damagedCommits += damaged.length;
  const isRawLeft = (await raw.size()) > rawEnd;
  if (adopted.length === 0) return isRawLeft;
  const adoptedLines = linesOf(adopted);
  onFault(linesAdopted(partition, line, adoptedLines));
  result.adoptedLines += adoptedLines;
  result.lastReceivedAtMicros = Math.max(result.lastReceivedAtMicros, receivedAtMicros);
  const keptMicros = kept?.record.receivedAtMicros ?? 0;
  const before = Math.max(afterMicros, keptMicros, partition.hour * MICROS_PER_HOUR - 1);
  result.adoptedAfterMicros = Math.min(result.adoptedAfterMicros ?? before, before);
  return isRawLeft;
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
  /** The last record to keep. */
  readonly kept: PlacedCommit | undefined;
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
  let kept = endOf(complete) < endOf(durable.before) ? complete : durable.before;
  const dropped: CommitRecord[] = [];
  for await (const batch of readCommits(commits, { from: endOf(kept) })) {
    for (const commit of batch) {
      const isGood =
        dropped.length === 0 && follows(commit.record, kept?.record) && (await isIntact(raw, commit.record));
      if (isGood) kept = commit;
      else dropped.push(commit.record);
    }
  }
  return { kept, dropped };
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
