import { basename, join } from 'node:path';
import type { ReadableFile } from '../files/store-files.js';
import type { CommitPosition, CommitRecord } from '../record/commits/commit-record.js';
import { readCommits } from '../record/commits/commit-search.js';
import { ReadHandles } from '../record/io/file-handles.js';
import { formatMicros } from '../record/partitions/arrival-clock.js';
import { COMMITS_FILE, type Partition, RAW_FILE } from '../record/partitions/partition-path.js';
import { ChainCheck, readCommitRows } from './chain-check.js';
import { createRawSpans } from './check-commit.js';
import type { FindingDetails } from './finding.js';
import { systemReason, type VerifyContext } from './verify-context.js';

/** Per partition, because one extra byte makes every later commit differ. */
const MAX_FINDINGS = 20;

/** Checks the commit records of every partition, the bytes that they cover, and the bytes after them. */
export async function checkPartitions(context: VerifyContext): Promise<void> {
  const total = await rawBytesOf(context);
  let doneBytes = 0;
  for (const partition of context.partitions) {
    let bytes = 0;
    const onBytes = async (checked: number): Promise<void> => {
      bytes = checked;
      await context.nextSlice('checking the record', doneBytes + bytes, total);
    };
    await verifyUnlessRemoved(context, partition, onBytes);
    doneBytes += bytes;
  }
}

/** Discards the findings if retention removes the partition during the check. */
async function verifyUnlessRemoved(
  context: VerifyContext,
  partition: Partition,
  onBytes: (bytes: number) => Promise<void>,
): Promise<void> {
  const found: FindingDetails[] = [];
  let more = 0;
  const report = (one: FindingDetails): void => {
    if (found.length <= MAX_FINDINGS) found.push(one);
    else more += 1;
  };
  const own: VerifyContext = { ...context, events: 0, report };
  try {
    await verifyPartition(own, partition, onBytes);
  } catch (error) {
    reportUnreadable(own, partition, error);
  }
  if (found.length > 0 && (await context.isRemoved(partition))) return;
  context.events += own.events;
  for (const [index, one] of found.entries()) {
    const rest = index === MAX_FINDINGS && more > 0 ? ` And ${more} more findings in this partition.` : '';
    context.report({ ...one, what: `${one.what}${rest}` });
  }
}

async function rawBytesOf({ files, directory, partitions, nextSlice }: VerifyContext): Promise<number> {
  let total = 0;
  for (const { folder } of partitions) {
    total += (await files.stat(join(directory, folder, RAW_FILE)))?.bytes ?? 0;
    await nextSlice('measuring files', 0, 0);
  }
  return total;
}

function reportUnreadable(context: VerifyContext, { folder }: Partition, error: unknown): void {
  const reason = systemReason(error);
  if (reason === undefined) throw error;
  context.damagedFolders.add(folder);
  context.report({ code: 'FILE_UNREADABLE', file: folder, what: `The system cannot read this partition: ${reason}.` });
}

/** Checks the two files of a partition against each other; awaits `onBytes` with the raw bytes checked so far. */
async function verifyPartition(
  context: VerifyContext,
  partition: Partition,
  onBytes: (bytes: number) => Promise<void>,
): Promise<void> {
  const { files, directory, report } = context;
  const { folder } = partition;
  const exists = await isRegularFile(context, `${folder}/${RAW_FILE}`);
  const hasCommitFile = await isRegularFile(context, `${folder}/${COMMITS_FILE}`);
  if (!exists && !hasCommitFile) {
    const what = 'The folder of an hour contains neither of its two files.';
    report({ code: 'PARTITION_EMPTY', file: folder, what });
    return;
  }
  await using handles = new ReadHandles(files, 2);
  const raw = handles.file(join(directory, folder, RAW_FILE));
  // Read before the commits, so that with a writer the file does not appear longer than they say.
  const bytes = await raw.size();
  const chain = new ChainCheck(context, partition, { read: createRawSpans(raw), bytes, exists });
  let isWhole = true;
  for await (const { row, next } of readCommitRows(handles.file(join(directory, folder, COMMITS_FILE)))) {
    isWhole = await chain.check(row, next);
    if (!isWhole) break;
    await onBytes(Math.min(bytes, chain.position.offset));
  }
  chain.reportLost();
  if (isWhole) await verifyTail(context, partition, { raw, rawBytes: bytes, hasCommitFile }, chain.position);
  await onBytes(bytes);
}

/** False if nothing is at the path; links and pipes are an error, and are not opened. */
async function isRegularFile({ files, directory }: VerifyContext, name: string): Promise<boolean> {
  const path = join(directory, name);
  const found = await files.stat(path);
  if (found !== undefined && found.kind !== 'file')
    throw Object.assign(new Error(`${basename(path)} is not a regular file`), { code: 'EINVAL', path });
  return found !== undefined;
}

/** Reports bytes of a raw file after its last commit; with a running writer this is a note. */
async function verifyTail(
  context: VerifyContext,
  { folder }: Partition,
  files: { raw: ReadableFile; rawBytes: number; hasCommitFile: boolean },
  from: CommitPosition,
): Promise<void> {
  const { raw, rawBytes, hasCommitFile } = files;
  const isLive = context.writer !== undefined;
  if (!hasCommitFile && rawBytes > 0 && !isLive) {
    const what = `The file is missing for a raw file of ${rawBytes} bytes.`;
    context.report({ code: 'COMMITS_MISSING', file: `${folder}/${COMMITS_FILE}`, what });
    context.damagedFolders.add(folder);
    return;
  }
  const bytes = rawBytes - from.offset;
  if (bytes <= 0) return;
  const { newlines } = await createRawSpans(raw)(from.offset, bytes);
  const what = `The file has ${bytes} bytes (${newlines} whole lines) after the last commit.`;
  context.report({
    code: 'RAW_UNCOMMITTED_TAIL',
    file: `${folder}/${RAW_FILE}`,
    line: from.line,
    offset: from.offset,
    what,
    ...(isLive && { severity: 'note' }),
  });
  if (!isLive) context.damagedFolders.add(folder);
}

type Lines = Pick<CommitRecord, 'line' | 'lines'>;

/** Checks that ids are unique: lines of one number and time collide if two partitions of an hour have the same hash. */
export async function checkEventIds(context: VerifyContext): Promise<void> {
  for (const partitions of collidingPartitions(context.partitions)) await compare(context, partitions);
}

function collidingPartitions(partitions: readonly Partition[]): Partition[][] {
  const byHourAndHash = new Map<string, Partition[]>();
  for (const partition of partitions) {
    const key = `${partition.hour}:${partition.hash}`;
    byHourAndHash.set(key, [...(byHourAndHash.get(key) ?? []), partition]);
  }
  return [...byHourAndHash.values()].filter((sharing) => sharing.length > 1);
}

async function compare(context: VerifyContext, partitions: Partition[]): Promise<void> {
  await using handles = new ReadHandles(context.files, 2);
  const seen = new Map<number, { folder: string; lines: Lines }[]>();
  for (const { folder } of partitions) {
    for await (const batch of readCommits(handles.file(join(context.directory, folder, COMMITS_FILE)), { from: 0 })) {
      for (const { record } of batch) {
        const sameTime = seen.get(record.receivedAtMicros) ?? [];
        const other = sameTime.find((one) => one.folder !== folder && overlap(one.lines, record));
        if (other !== undefined) reportDuplicate(context, folder, record, other.folder);
        sameTime.push({ folder, lines: { line: record.line, lines: record.lines } });
        seen.set(record.receivedAtMicros, sameTime);
      }
      await context.nextSlice('comparing event ids', 0, 0);
    }
  }
}

function overlap(one: Lines, other: Lines): boolean {
  return one.line < other.line + other.lines && other.line < one.line + one.lines;
}

function reportDuplicate(context: VerifyContext, folder: string, record: CommitRecord, other: string): void {
  const { line, receivedAtMicros } = record;
  const what = `Events received ${formatMicros(receivedAtMicros)} have the ids of events in ${other}.`;
  context.report({ code: 'EVENT_ID_DUPLICATE', file: `${folder}/${RAW_FILE}`, line, what });
}
