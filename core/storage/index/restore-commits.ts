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
import { createReadHandles } from '../record/io/file-handles.js';
import { salvageTail } from '../record/io/salvage.js';
import { hourOfMicros, MICROS_PER_HOUR } from '../record/partitions/arrival-clock.js';
import { COMMITS_FILE, type Partition, RAW_FILE } from '../record/partitions/partition-path.js';
import type { IndexContent } from './content/index-content.js';
import type { EventRow } from './segments/event-segment.js';

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
  await using handles = createReadHandles(files, 2);
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
  { partition, last, rawBytes, commitBytes }: InspectedPartition,
  file: (path: string) => ReadableFile,
  { files, directory, content, plan, onFault }: RestoreCommitsOptions,
): Promise<void> {
  const path = `${partition.folder}/${COMMITS_FILE}`;
  const commits = file(join(directory, path));
  const kept = last?.end ?? 0;
  const from = positionAfter(last?.record);
  const lines = indexedLines(content, plan, partition, last?.record.receivedAtMicros ?? 0);
  const records = restoredRecords(file(join(directory, partition.folder, RAW_FILE)), lines, from);
  const first = await records.next();
  let next = from;
  if (!first.done) {
    // Rewritten as a whole: only the last group commit is ever checked byte by byte, and parts of a write may reach the disk in any order.
    if (commitBytes > kept) await salvageTail({ files, directory, path, file: commits, from: kept });
    const rewritten = async function* (): AsyncGenerator<Buffer> {
      for (let at = 0; at < kept; at += MAX_COMMIT_RAW_BYTES) {
        yield await commits.read(at, Math.min(MAX_COMMIT_RAW_BYTES, kept - at));
      }
      let text = '';
      for (let found: IteratorResult<CommitRecord> = first; !found.done; found = await records.next()) {
        text += encodeCommitRecord(found.value);
        next = positionAfter(found.value);
        if (text.length < MAX_COMMIT_RAW_BYTES) continue;
        yield Buffer.from(text, 'utf8');
        text = '';
      }
      yield Buffer.from(text, 'utf8');
    };
    await writeFileDurably(files, join(directory, path), rewritten());
    const sentence = `${path} was missing or cut: the records of lines ${from.line} to ${next.line - 1} were written again from the index, with the same times and event ids. Nothing has to be done.`;
    onFault(new Fault('COMMITS_RESTORED', sentence));
  }
  // Recovery dates the lines of later hours.
  const isLeft = next.offset < rawBytes && partition.hour < hourOfMicros(content.segments.sealed.cursorMicros);
  if (!isLeft) return;
  const sentence = `Lines from ${next.line} on of ${partition.folder}/${RAW_FILE} have no commit record, and the index does not know them: they are not counted. Restore ${COMMITS_FILE} from a backup, or run \`faultline rebuild\`, which gives them new times and event ids.`;
  onFault(new Fault('RECORD_DAMAGED', sentence));
}

/** Lines of a partition in order, received at `fromMicros` or later. */
async function* indexedLines(
  { issues, segments }: IndexContent,
  plan: GroupingPlan,
  { folder, hour }: Partition,
  fromMicros: number,
): AsyncGenerator<IndexedLine> {
  const first = segments.numberAt(Math.max(fromMicros, hour * MICROS_PER_HOUR));
  for (let number = Math.max(first, segments.sealed.firstSegment); number < segments.sealed.segments; number += 1) {
    const segment = await segments.get(number);
    if (segment.firstReceivedAtMicros >= (hour + 1) * MICROS_PER_HOUR) return;
    const partition = segment.partitions.findIndex((other) => other.folder === folder);
    for (let index = 0; partition >= 0 && index < segment.rows; index += 1) {
      if (segment.partitionAt(index) !== partition) continue;
      const row = segment.row(index);
      if (row === undefined) break;
      const issue = issues.inOrder[row.ordinal];
      // A regrouping overwrote what grouped the event on arrival.
      const isOfArrival = issue !== undefined && groupingAt(plan, row.receivedAtMicros).counts === 'committed';
      const fingerprint = isOfArrival ? { version: issue.fingerprintVersion, value: issue.fingerprint } : undefined;
      yield { ...row, fingerprint };
    }
  }
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
  if (starts === undefined || slice.some((one, index) => one.offset - offset !== starts[index])) return undefined;
  const version = first.fingerprint?.version;
  const values = slice.map(({ fingerprint }) => fingerprint?.value ?? '').join('');
  return {
    ...{ line, lines: slice.length, offset, bytes: bytes.length, receivedAtMicros },
    crc32c: checksumOf(bytes),
    // Batch ids of imports are lost: a repeated import compares its lines with these.
    batches: [{ batchId: RECOVERED_BATCH_ID, lines: slice.length }],
    ...(version !== undefined && { fingerprints: { version, values } }),
  };
}
