import { hash } from 'node:crypto';
import { basename } from 'node:path';
import type { FoundBatch } from '../../core/storage/record/commits/find-batches.js';

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

/** The batch id of the lines from `start` up to `end`. */
export function batchIdOf(prefix: string, start: number, end: number): string {
  return `${prefix}${start}-${end}`;
}

/** A partition's folder without year, month, day and hour. */
export function partitionName(folder: string): string {
  return folder.split('/').slice(0, -4).join('/');
}

const RANGE = /^(\d{1,15})-(\d{1,15})$/;

/** Collects the ranges that earlier runs of an import stored, by their first line. */
export async function readImportedRanges(
  batches: AsyncIterable<FoundBatch>,
  prefix: string,
): Promise<Map<number, ImportedRange>> {
  const ranges = new Map<number, ImportedRange>();
  for await (const found of batches) {
    const { batchId, partition, lines } = found;
    const [, start, end] = RANGE.exec(batchId.slice(prefix.length)) ?? [];
    if (start === undefined || end === undefined) continue;
    const range: ImportedRange = ranges.get(Number(start)) ?? { end: Number(end), linesByName: new Map(), batches: [] };
    const name = partitionName(partition.folder);
    range.linesByName.set(name, (range.linesByName.get(name) ?? 0) + lines);
    range.batches.push(found);
    ranges.set(Number(start), range);
  }
  return ranges;
}
