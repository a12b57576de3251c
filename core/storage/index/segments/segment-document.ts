import { type EventId, toEventId } from '../../../event/ids.js';
import { MAX_SAMPLED } from '../../../event/raw-payload.js';
import { type Partition, parsePartitionFolder } from '../../record/partitions/partition-path.js';
import { Dictionary, DocumentFields } from '../documents/document-fields.js';
import { type EventRow, EventSegment } from './event-segment.js';

/**
 * Encodes a sealed segment as columns. Rows of one commit and partition are adjacent in their file, so partition, line, offset and receipt
 * are stored once per run; a row adds its length, its issue and its age at the receipt.
 */
export function encodeSegment(segment: EventSegment): object {
  const folders = new Dictionary();
  const hashes = new Map<string, number>();
  const issueIndexes = new Map([...segment.previous.keys()].map((ordinal, index) => [ordinal, index]));
  const columns = {
    run_folder: [] as number[],
    run_received_after: [] as number[],
    run_line: [] as number[],
    run_offset: [] as number[],
    run_rows: [] as number[],
    row_issue: [] as number[],
    row_bytes: [] as number[],
    row_age_ms: [] as number[],
  };
  let before: EventRow | undefined;
  for (let index = 0; index < segment.rows; index += 1) {
    const row = segment.row(index);
    if (row === undefined) break;
    if (before !== undefined && follows(row, before)) {
      columns.run_rows.push((columns.run_rows.pop() ?? 0) + 1);
    } else {
      columns.run_folder.push(folders.codeOf(row.partition.folder));
      hashes.set(row.partition.folder, row.partition.hash);
      columns.run_received_after.push(row.receivedAtMicros - (before ?? row).receivedAtMicros);
      columns.run_line.push(row.line);
      columns.run_offset.push(row.offset);
      columns.run_rows.push(1);
    }
    columns.row_issue.push(issueIndexes.get(row.ordinal) ?? 0);
    columns.row_bytes.push(row.bytes);
    columns.row_age_ms.push(Math.floor(row.receivedAtMicros / 1000) - row.eventTimeMs);
    before = row;
  }
  return {
    number: segment.number,
    first_received_at: segment.firstReceivedAtMicros,
    folders: folders.texts(),
    hashes: [...hashes.values()],
    issues: [...segment.previous.keys()],
    previous_segments: [...segment.previous.values()],
    ...columns,
    ...(segment.weights && { weighted_rows: [...segment.weights.keys()], weights: [...segment.weights.values()] }),
    ...(segment.repeats && {
      repeated_rows: [...segment.repeats.keys()],
      repeated_events: [...segment.repeats.values()],
    }),
  };
}

/** Decodes `encodeSegment`; throws `INDEX_UNUSABLE`. */
export function decodeSegment(path: string, data: unknown): EventSegment {
  const fields = new DocumentFields(path, data);
  const folders = fields.texts('folders');
  const hashes = fields.integers('hashes', folders.length);
  const partitions = folders.map((folder, index): Partition | undefined => {
    const parsed = parsePartitionFolder(folder);
    return parsed && { ...parsed, hash: hashes[index] ?? 0 };
  });
  const issues = fields.integers('issues');
  const previous = fields.integers('previous_segments', issues.length);
  const runRows = fields.integers('run_rows');
  const runFolders = fields.integers('run_folder', runRows.length);
  const runReceivedAfter = fields.integers('run_received_after', runRows.length);
  const runLines = fields.integers('run_line', runRows.length);
  const runOffsets = fields.integers('run_offset', runRows.length);
  const rowIssues = fields.integers('row_issue');
  const rowBytes = fields.integers('row_bytes', rowIssues.length);
  const rowAges = fields.integers('row_age_ms', rowIssues.length);
  const weights = weightsIn(fields, rowIssues.length);
  const repeated = repeatsIn(fields, rowIssues.length);
  const segment = new EventSegment(fields.count('number'), rowIssues.length, { ordinals: issues, segments: previous });
  let receivedAtMicros = fields.count('first_received_at');
  let index = 0;
  runRows.forEach((rows, run) => {
    receivedAtMicros += runReceivedAfter[run] ?? 0;
    const partition = partitions[runFolders[run] ?? -1];
    let offset = runOffsets[run] ?? 0;
    for (let row = 0; row < rows; row += 1, index += 1) {
      const ordinal = issues[rowIssues[index] ?? -1];
      if (partition === undefined || ordinal === undefined) throw fields.unusable('row_issue');
      const bytes = rowBytes[index] ?? 0;
      const line = (runLines[run] ?? 0) + row;
      const eventTimeMs = Math.floor(receivedAtMicros / 1000) - (rowAges[index] ?? 0);
      const weight = weights?.get(index) ?? 1;
      const repeats = repeated?.get(index);
      segment.restore({ ordinal, partition, line, offset, bytes, receivedAtMicros, eventTimeMs, weight, repeats });
      offset += bytes + 1;
    }
  });
  if (index !== rowIssues.length) throw fields.unusable('run_rows');
  return segment;
}

/** By row index; undefined if each row counts for one occurrence. */
function weightsIn(fields: DocumentFields, rows: number): Map<number, number> | undefined {
  if (!fields.has('weights')) return undefined;
  const indexes = rowIndexes(fields, 'weighted_rows', rows);
  const weights = fields.integers('weights', indexes.length);
  if (!weights.every((weight) => weight >= 0 && weight <= MAX_SAMPLED + 1)) throw fields.unusable('weights');
  return new Map(indexes.map((index, at) => [index, weights[at] ?? 1]));
}

/** By row index; undefined without any. */
function repeatsIn(fields: DocumentFields, rows: number): Map<number, EventId> | undefined {
  if (!fields.has('repeated_rows')) return undefined;
  const indexes = rowIndexes(fields, 'repeated_rows', rows);
  const events = fields.texts('repeated_events', indexes.length);
  return new Map(
    indexes.map((index, at) => {
      const eventId = toEventId(events[at] ?? '');
      if (eventId === undefined) throw fields.unusable('repeated_events');
      return [index, eventId];
    }),
  );
}

/** Ascending indexes of rows. */
function rowIndexes(fields: DocumentFields, key: string, rows: number): number[] {
  const indexes = fields.integers(key);
  const isRow = (index: number, at: number): boolean => index > (indexes[at - 1] ?? -1) && index < rows;
  if (!indexes.every(isRow)) throw fields.unusable(key);
  return indexes;
}

function follows(row: EventRow, before: EventRow): boolean {
  return (
    row.receivedAtMicros === before.receivedAtMicros &&
    row.partition.folder === before.partition.folder &&
    row.line === before.line + 1 &&
    row.offset === before.offset + before.bytes + 1
  );
}
