import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import type { DataFolder, ReadableFile } from '../files/store-files.js';
import { writeFileDurably } from '../files/write-file-durably.js';
import { type GroupingPlan, groupingAt } from '../groupings/grouping-log-plan.js';
import {
  COMMIT_SLICE_BYTES,
  type CommitRecord,
  checksumOf,
  encodeCommitRecord,
  lineStarts,
  MAX_COMMIT_LINES,
  RECOVERED_BATCH_ID,
  type StoredFingerprint,
} from '../record/commits/commit-record.js';
import { type InspectedPartition, inspectPartitions } from '../record/inspect-partitions.js';
import { createReadHandles } from '../record/io/file-handles.js';
import { salvageTail } from '../record/io/salvage.js';
import { hourOfMicros, MICROS_PER_HOUR } from '../record/partitions/arrival-clock.js';
import { COMMITS_FILE, type Partition, RAW_FILE } from '../record/partitions/partition-path.js';
import type { IndexContent } from './content/index-content.js';

/** A raw line that the index knows. */
interface IndexedLine {
  readonly line: number;
  readonly offset: number;
  /** Without the newline. */
  readonly bytes: number;
  readonly receivedAtMicros: number;
  /** What grouped it on arrival; undefined where the index does not know it any more. */
  readonly fingerprint: StoredFingerprint | undefined;
}

/** Where commit records are restored, and from what. */
export interface RestoreOptions extends DataFolder {
  /** A loaded index. */
  content: IndexContent;
  /** By which it groups. */
  plan: GroupingPlan;
  /** Called with Fault `COMMITS_RESTORED` for each partition whose records were written again, and `RECORD_DAMAGED` where nothing dates lines. */
  onFault: (fault: Fault) => void;
}

/**
 * Writes the commit records again that a lost or shortened `commits.ndjson` no longer holds, from what the index knows of their lines: the same instants,
 * so the same event ids. Under the writer lock, before recovery, which would date these lines anew. May end anywhere and be run again. Rejects with
 * `INDEX_UNUSABLE`, or with the system's error.
 */
export async function restoreCommits(options: RestoreOptions): Promise<void> {
  const { files, directory, content } = options;
  const { beforeMicros, cursorMicros } = content.segments.sealed;
  const handles = createReadHandles(files, 2);
  try {
    for (const inspected of await inspectPartitions(files, directory, hourOfMicros(beforeMicros))) {
      const { last, rawBytes } = inspected;
      const lacksRecords = last === undefined ? rawBytes > 0 : afterRecord(last.record).offset < rawBytes;
      const isOlder = (last?.record.receivedAtMicros ?? 0) <= cursorMicros;
      if (lacksRecords && isOlder) await restorePartition(inspected, (path) => handles.file(path), options);
    }
  } finally {
    await handles.close();
  }
}

async function restorePartition(
  { partition, last, rawBytes, commitBytes }: InspectedPartition,
  file: (path: string) => ReadableFile,
  { files, directory, content, plan, onFault }: RestoreOptions,
): Promise<void> {
  const path = `${partition.folder}/${COMMITS_FILE}`;
  const commits = file(join(directory, path));
  const kept = last?.end ?? 0;
  const from = last === undefined ? { line: 0, offset: 0 } : afterRecord(last.record);
  const lines = indexedLines(content, plan, partition, last?.record.receivedAtMicros ?? 0);
  const records = restoredRecords(file(join(directory, partition.folder, RAW_FILE)), lines, from);
  const first = await records.next();
  let next = from;
  if (!first.done) {
    // As a whole, because parts of it may reach the disk in any order, and only the last group commit is ever checked byte by byte.
    if (commitBytes > kept) await salvageTail({ files, directory, path, file: commits, from: kept });
    const rewritten = async function* (): AsyncGenerator<Buffer> {
      for (let at = 0; at < kept; at += COMMIT_SLICE_BYTES) {
        yield await commits.read(at, Math.min(COMMIT_SLICE_BYTES, kept - at));
      }
      let text = '';
      for (let found: IteratorResult<CommitRecord> = first; !found.done; found = await records.next()) {
        text += encodeCommitRecord(found.value);
        next = afterRecord(found.value);
        if (text.length < COMMIT_SLICE_BYTES) continue;
        yield Buffer.from(text, 'utf8');
        text = '';
      }
      yield Buffer.from(text, 'utf8');
    };
    await writeFileDurably(files, join(directory, path), rewritten());
    onFault(restored(path, from.line, next.line));
  }
  // Lines of later hours are left to recovery, which dates them.
  const isLeft = next.offset < rawBytes && partition.hour < hourOfMicros(content.segments.sealed.cursorMicros);
  if (isLeft) onFault(undated(partition, next.line));
}

/** Lines of a partition in their order, from the first that was received at an instant or later. */
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
    for (let place = 0; partition >= 0 && place < segment.rows; place += 1) {
      if (segment.partitionAt(place) !== partition) continue;
      const receivedAtMicros = segment.receivedAtMicrosAt(place);
      const issue = issues.inOrder[segment.ordinalAt(place)];
      // What was regrouped has lost what grouped it on arrival, which no longer counts.
      const isOfArrival = issue !== undefined && groupingAt(plan, receivedAtMicros).counts === 'committed';
      const fingerprint = isOfArrival ? { version: issue.fingerprintVersion, value: issue.fingerprint } : undefined;
      const bytes = segment.bytesAt(place);
      yield { line: segment.lineAt(place), offset: segment.offsetAt(place), bytes, receivedAtMicros, fingerprint };
    }
  }
}

/** Ends where the index knows no further line, or knows one that does not lie where the file has it. */
async function* restoredRecords(
  raw: ReadableFile,
  lines: AsyncIterable<IndexedLine>,
  from: { readonly line: number; readonly offset: number },
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
  return isOneCommit && bytes <= COMMIT_SLICE_BYTES && others.length + 2 <= MAX_COMMIT_LINES;
}

/** Undefined where the file does not hold these lines. */
async function recordOf(raw: ReadableFile, slice: readonly IndexedLine[]): Promise<CommitRecord | undefined> {
  const [first, last] = [slice[0], slice.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const { line, offset, receivedAtMicros } = first;
  const bytes = await raw.read(offset, last.offset + last.bytes + 1 - offset);
  const starts = lineStarts(bytes, slice.length);
  if (starts === undefined || slice.some((one, place) => one.offset - offset !== starts[place])) return undefined;
  const version = first.fingerprint?.version;
  const values = slice.map(({ fingerprint }) => fingerprint?.value ?? '').join('');
  return {
    ...{ line, lines: slice.length, offset, bytes: bytes.length, receivedAtMicros },
    crc32c: checksumOf(bytes),
    // The marks of imports are lost: an import that is repeated compares its lines with those of this one.
    batches: [{ batchId: RECOVERED_BATCH_ID, lines: slice.length }],
    ...(version !== undefined && { fingerprints: { version, values } }),
  };
}

function afterRecord({ line, lines, offset, bytes }: CommitRecord): { readonly line: number; readonly offset: number } {
  return { line: line + lines, offset: offset + bytes };
}

function restored(path: string, from: number, end: number): Fault {
  return new Fault(
    'COMMITS_RESTORED',
    `${path} was missing or cut: the records of lines ${from} to ${end - 1} were written again from the index, with the same times and event ids. Nothing has to be done.`,
  );
}

function undated({ folder }: Partition, line: number): Fault {
  return new Fault(
    'RECORD_DAMAGED',
    `Lines from ${line} on of ${folder}/${RAW_FILE} have no commit record, and the index does not know them: they are not counted. Restore ${COMMITS_FILE} from a copy, or run \`faultline rebuild\`, which gives them new times and event ids.`,
  );
}
