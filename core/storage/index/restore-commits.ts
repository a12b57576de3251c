import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import type { DataFolder, ReadableFile } from '../files/store-files.js';
import { writeFileDurably } from '../files/write-durably.js';
import { type GroupingPlan, groupingAt } from '../groupings/grouping-log-plan.js';
import {
  type CommitPosition,
  type CommitRecord,
  checksumOf,
  encodeCommitRecord,
  lineStarts,
  MAX_COMMIT_LINES,
  MAX_COMMIT_RAW_BYTES,
  positionAfter,
  RECOVERED_BATCH_ID,
  type StoredFingerprint,
} from '../record/commits/commit-record.js';
import { type InspectedPartition, inspectPartition } from '../record/inspect-partitions.js';
import { ReadHandles } from '../record/io/file-handles.js';
import { salvageTail } from '../record/io/salvage.js';
import { hourOfMicros, MICROS_PER_HOUR } from '../record/partitions/arrival-clock.js';
import { COMMITS_FILE, type Partition, RAW_FILE } from '../record/partitions/partition-path.js';
import type { IndexContent } from './content/index-content.js';
import type { EventRow, EventSegment } from './segments/event-segment.js';

interface IndexedLine extends EventRow {
  /** From arrival; undefined if the index no longer knows it. */
  readonly fingerprint: StoredFingerprint | undefined;
}

interface RestoreCommitsOptions extends DataFolder {
  /** Those of removed hours stay as they are. */
  inspected: readonly InspectedPartition[];
  content: IndexContent;
  plan: GroupingPlan;
  /** Called with `COMMITS_RESTORED` for each partition whose records were rewritten, and `RECORD_DAMAGED` for lines that nothing dates. */
  onFault: (fault: Fault) => void;
}

/**
 * Rewrites commit records that a missing or shortened `commits.ndjson` lacks, with the receipts that the index knows, so event ids stay the
 * same. Call it under the writer lock: for hours that are being written before recovery, which would date these lines again; for closed
 * ones at any time. Returns the partitions as they are then. Safe to interrupt and repeat. Rejects with `INDEX_UNUSABLE` or the system's
 * error.
 */
export async function restoreCommits(options: RestoreCommitsOptions): Promise<readonly InspectedPartition[]> {
  const { files, content } = options;
  const { beforeMicros, cursorMicros } = content.segments.sealed;
  await using handles = new ReadHandles(files, 2);
  const now: InspectedPartition[] = [];
  for (const inspected of options.inspected) {
    const { last, rawBytes, partition } = inspected;
    const lacksRecords = positionAfter(last?.record).offset < rawBytes;
    const isOlder = (last?.record.receivedAtMicros ?? 0) <= cursorMicros;
    if (lacksRecords && isOlder && partition.hour >= hourOfMicros(beforeMicros)) {
      await restorePartition(inspected, (path) => handles.file(path), options);
      now.push(await inspectPartition(options, partition));
    } else {
      now.push(inspected);
    }
  }
  return now;
}

async function restorePartition(
  inspected: InspectedPartition,
  file: (path: string) => ReadableFile,
  options: RestoreCommitsOptions,
): Promise<void> {
  const { partition, last, rawBytes } = inspected;
  const { directory, content, plan, onFault } = options;
  const from = positionAfter(last?.record);
  const lines = indexedLines(content, plan, partition, last?.record.receivedAtMicros ?? 0);
  const records = restoredRecords(file(join(directory, partition.folder, RAW_FILE)), lines, from);
  const first = await records.next();
  let next = from;
  if (!first.done) {
    next = await rewriteCommits(inspected, { first: first.value, later: records }, file, options);
    const sentence = `${partition.folder}/${COMMITS_FILE} was missing or cut: the records of lines ${from.line} to ${next.line - 1} were written again from the index, with the same times and event ids. Nothing has to be done.`;
    onFault(new Fault('COMMITS_RESTORED', sentence));
  }
  // Recovery dates the lines of later hours.
  const isLeft = next.offset < rawBytes && partition.hour < hourOfMicros(content.segments.sealed.cursorMicros);
  if (!isLeft) return;
  const sentence = `Lines from ${next.line} on of ${partition.folder}/${RAW_FILE} have no commit record, and the index does not know them: they are not counted. Restore ${COMMITS_FILE} from a backup, or run \`faultline rebuild\`, which gives them new times and event ids.`;
  onFault(new Fault('RECORD_DAMAGED', sentence));
}

/**
 * Replaces the commit file by its whole records and the restored ones, and returns where the last of these ends. Rewritten as a whole: only
 * the last group commit is ever checked byte by byte, and parts of a write may reach the disk in any order.
 */
async function rewriteCommits(
  { partition, last, commitBytes }: InspectedPartition,
  restored: { readonly first: CommitRecord; readonly later: AsyncIterable<CommitRecord> },
  file: (path: string) => ReadableFile,
  { files, directory }: RestoreCommitsOptions,
): Promise<CommitPosition> {
  const path = `${partition.folder}/${COMMITS_FILE}`;
  const commits = file(join(directory, path));
  const intactBytes = last?.end ?? 0;
  if (commitBytes > intactBytes) await salvageTail({ files, directory, path, file: commits, from: intactBytes });
  let next = positionAfter(restored.first);
  const content = async function* (): AsyncGenerator<Buffer> {
    for (let at = 0; at < intactBytes; at += MAX_COMMIT_RAW_BYTES) {
      yield await commits.read(at, Math.min(MAX_COMMIT_RAW_BYTES, intactBytes - at));
    }
    let text = encodeCommitRecord(restored.first);
    for await (const record of restored.later) {
      text += encodeCommitRecord(record);
      next = positionAfter(record);
      if (text.length < MAX_COMMIT_RAW_BYTES) continue;
      yield Buffer.from(text, 'utf8');
      text = '';
    }
    yield Buffer.from(text, 'utf8');
  };
  await writeFileDurably(files, join(directory, path), content());
  return next;
}

/** Lines of a partition in order, received at `fromMicros` or later. */
async function* indexedLines(
  content: IndexContent,
  plan: GroupingPlan,
  { folder, hour }: Partition,
  fromMicros: number,
): AsyncGenerator<IndexedLine> {
  const { segments } = content;
  const first = segments.numberAt(Math.max(fromMicros, hour * MICROS_PER_HOUR));
  for (let number = Math.max(first, segments.sealed.firstSegment); number < segments.sealed.segments; number += 1) {
    const segment = await segments.get(number);
    if (segment.firstReceivedAtMicros >= (hour + 1) * MICROS_PER_HOUR) return;
    for (const row of rowsOfFolder(segment, folder)) {
      yield { ...row, fingerprint: arrivalFingerprint(content, plan, row) };
    }
  }
}

function* rowsOfFolder(segment: EventSegment, folder: string): Generator<EventRow> {
  const partition = segment.partitions.findIndex((other) => other.folder === folder);
  if (partition < 0) return;
  for (let index = 0; index < segment.rows; index += 1) {
    const row = segment.partitionAt(index) === partition ? segment.row(index) : undefined;
    if (row !== undefined) yield row;
  }
}

/** Undefined if a regrouping overwrote what grouped the event on arrival. */
function arrivalFingerprint(
  { issues }: IndexContent,
  plan: GroupingPlan,
  row: EventRow,
): StoredFingerprint | undefined {
  const issue = issues.inOrder[row.ordinal];
  const isOfArrival = groupingAt(plan, row.receivedAtMicros).counts === 'committed';
  return issue && isOfArrival ? { version: issue.fingerprintVersion, value: issue.fingerprint } : undefined;
}

/** Stops at the first line that the index does not know, or knows at another offset. */
async function* restoredRecords(
  raw: ReadableFile,
  lines: AsyncIterable<IndexedLine>,
  from: CommitPosition,
): AsyncGenerator<CommitRecord, undefined> {
  let next = from;
  let slice: IndexedLine[] = [];
  for await (const line of lines) {
    if (line.line < next.line) continue;
    if (line.line !== next.line || line.offset !== next.offset) break;
    if (!fits(slice, line)) {
      const record = await recordOf(raw, slice);
      if (record === undefined) return;
      yield record;
      slice = [];
    }
    slice.push(line);
    next = { line: line.line + 1, offset: line.offset + line.bytes + 1 };
  }
  const record = await recordOf(raw, slice);
  if (record !== undefined) yield record;
}

function fits([first, ...others]: readonly IndexedLine[], line: IndexedLine): boolean {
  if (first === undefined) return true;
  const isOneCommit =
    line.receivedAtMicros === first.receivedAtMicros && line.fingerprint?.version === first.fingerprint?.version;
  const bytes = line.offset + line.bytes + 1 - first.offset;
  return isOneCommit && bytes <= MAX_COMMIT_RAW_BYTES && others.length + 2 <= MAX_COMMIT_LINES;
}

/** Undefined if the file does not hold these lines. */
async function recordOf(raw: ReadableFile, slice: readonly IndexedLine[]): Promise<CommitRecord | undefined> {
  const [first, last] = [slice[0], slice.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const { line, offset, receivedAtMicros } = first;
  const bytes = await raw.read(offset, last.offset + last.bytes + 1 - offset);
  const starts = lineStarts(bytes, slice.length);
  if (starts === undefined || slice.some((indexed, index) => indexed.offset - offset !== starts[index]))
    return undefined;
  const version = first.fingerprint?.version;
  const values = slice.map(({ fingerprint }) => fingerprint?.value ?? '').join('');
  return {
    line,
    lines: slice.length,
    offset,
    bytes: bytes.length,
    receivedAtMicros,
    crc32c: checksumOf(bytes),
    // Batch ids of imports are lost: a repeated import compares its lines with these.
    batches: [{ batchId: RECOVERED_BATCH_ID, lines: slice.length }],
    ...(version !== undefined && { fingerprints: { version, values } }),
  };
}
