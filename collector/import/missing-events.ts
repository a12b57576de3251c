import { hash } from 'node:crypto';
import { basename } from 'node:path';
import type { RawPayload } from '../../core/event/raw-payload.js';
import { partitionFolder } from '../../core/storage/record/partitions/partition-path.js';
import type { FoundBatch } from '../../core/storage/record/reader/record-reader.js';

/** A range of lines appended in one batch, and how many of its events are durable. */
export interface ImportedRange {
  /** The line after the last one of the range. */
  readonly end: number;
  /** Durable lines by partition folder without its hour: a retry may fall into another hour. */
  readonly linesByName: Map<string, number>;
  readonly batches: FoundBatch[];
}

/** The prefix of an import's batch ids; it holds the file's base name, so that the file may move between runs. */
export function batchIdPrefix(importId: string, file: string): string {
  return `import:${importId}:${hash('sha256', basename(file)).slice(0, 12)}:`;
}

/** A partition's folder without year, month, day and hour. */
function partitionName(folder: string): string {
  return folder.split('/').slice(0, -4).join('/');
}

const RANGE = /^(\d{1,15})-(\d{1,15})$/;

/** Collects the ranges that earlier runs of an import stored, by their first line. */
export async function readImportedRanges(
  batches: AsyncIterable<FoundBatch>,
  prefix: string,
): Promise<Map<number, ImportedRange>> {
  const ranges = new Map<number, ImportedRange>();
  for await (const batch of batches) {
    const { batchId, partition, lines } = batch;
    const [, start, end] = RANGE.exec(batchId.slice(prefix.length)) ?? [];
    if (start === undefined || end === undefined) continue;
    const range: ImportedRange = ranges.get(Number(start)) ?? { end: Number(end), linesByName: new Map(), batches: [] };
    const name = partitionName(partition.folder);
    range.linesByName.set(name, (range.linesByName.get(name) ?? 0) + lines);
    range.batches.push(batch);
    ranges.set(Number(start), range);
  }
  return ranges;
}

/** A valid line. */
export interface ImportedEvent {
  readonly payload: RawPayload;
  readonly encoded: Buffer;
}

interface EarlierRuns {
  /** Durable lines of the batch; undefined: none. */
  readonly range: ImportedRange | undefined;
  /** Lines that recovery adopted from an interrupted run, with their number; removed when found again. */
  readonly recovered: Map<string, number>;
  readonly linesOf: (batch: FoundBatch) => AsyncIterable<Buffer>;
}

/** The key by which lines are counted. */
export function lineKey(line: Buffer): string {
  return line.toString('latin1');
}

/** The events of a batch that are not stored yet. A partition that lacks some is compared by line: an interrupted run may have stored a part. */
export async function missingEvents(
  events: readonly ImportedEvent[],
  { range, recovered, linesOf }: EarlierRuns,
): Promise<readonly ImportedEvent[]> {
  if (range === undefined && recovered.size === 0) return events;
  const wanted = new Map<string, number>();
  for (const event of events) wanted.set(nameOf(event), (wanted.get(nameOf(event)) ?? 0) + 1);
  const isWhole = (name: string): boolean => (range?.linesByName.get(name) ?? 0) >= (wanted.get(name) ?? 0);
  const stored = new Map<string, number>();
  for (const batch of range?.batches ?? []) {
    if (isWhole(partitionName(batch.partition.folder))) continue;
    for await (const line of linesOf(batch)) stored.set(lineKey(line), (stored.get(lineKey(line)) ?? 0) + 1);
  }
  return events.filter((event) => {
    if (isWhole(nameOf(event))) return false;
    const key = lineKey(event.encoded);
    return !decrement(stored, key) && !decrement(recovered, key);
  });
}

function nameOf({ payload }: ImportedEvent): string {
  return partitionName(partitionFolder(payload, 0));
}

function decrement(counts: Map<string, number>, key: string): boolean {
  const count = counts.get(key);
  if (count === undefined) return false;
  if (count > 1) counts.set(key, count - 1);
  else counts.delete(key);
  return true;
}
