import { hash } from 'node:crypto';
import { basename } from 'node:path';
import type { FoundBatch } from '../../core/storage/record/commits/find-batches.js';

/** A stretch of a file whose events were appended together, and how many of them are durable. */
export interface ImportedRange {
  /** Line behind the last one of the stretch. */
  readonly end: number;
  /** Durable lines by partition folder without its hour: a repeat may fall into another hour. */
  readonly linesByName: Map<string, number>;
  /** Where they stand. */
  readonly marks: FoundBatch[];
}

/** What the marks of an import begin with; a file counts by its name without folders, so that it may be moved between runs. */
export function markPrefix(importId: string, file: string): string {
  return `import:${importId}:${hash('sha256', basename(file)).slice(0, 12)}:`;
}

/** The mark of the events on the lines from `start` up to `end`. */
export function rangeMark(prefix: string, start: number, end: number): string {
  return `${prefix}${start}-${end}`;
}

/** A partition's folder without year, month, day and hour. */
export function nameOfFolder(folder: string): string {
  return folder.split('/').slice(0, -4).join('/');
}

const RANGE = /^(\d{1,15})-(\d{1,15})$/;

/** Collects the stretches that earlier runs of an import left in the record, by their first line. */
export async function readImportedRanges(
  marks: AsyncIterable<FoundBatch>,
  prefix: string,
): Promise<Map<number, ImportedRange>> {
  const ranges = new Map<number, ImportedRange>();
  for await (const found of marks) {
    const { batchId: mark, partition, lines } = found;
    const [, start, end] = RANGE.exec(mark.slice(prefix.length)) ?? [];
    if (start === undefined || end === undefined) continue;
    const range: ImportedRange = ranges.get(Number(start)) ?? { end: Number(end), linesByName: new Map(), marks: [] };
    const name = nameOfFolder(partition.folder);
    range.linesByName.set(name, (range.linesByName.get(name) ?? 0) + lines);
    range.marks.push(found);
    ranges.set(Number(start), range);
  }
  return ranges;
}
