import type { RawPayload } from '../../core/event/raw-payload.js';
import type { FoundBatch } from '../../core/storage/record/commits/find-batches.js';
import { partitionOf } from '../../core/storage/record/partitions/partition-path.js';
import { type ImportedRange, nameOfFolder } from './import-marks.js';

/** A line that is an event. */
export interface ImportedEvent {
  readonly payload: RawPayload;
  readonly encoded: Buffer;
}

/** What earlier runs left in the record. */
export interface EarlierRuns {
  /** What they stored of the batch under its mark; undefined: nothing. */
  readonly range: ImportedRange | undefined;
  /** Lines that recovery adopted from an interrupted run, with how often; taken out as they are met again. */
  readonly recovered: Map<string, number>;
  readonly linesOf: (mark: FoundBatch) => AsyncIterable<Buffer>;
}

/** How a line is counted. */
export function lineKey(line: Buffer): string {
  return line.toString('latin1');
}

/**
 * The events of a batch that are not in the record yet. A batch of which one partition lacks some is compared line by line: which of them an interrupted
 * run stored under its mark, and which ones recovery adopted, their numbers do not say.
 */
export async function missingEvents(
  events: readonly ImportedEvent[],
  { range, recovered, linesOf }: EarlierRuns,
): Promise<readonly ImportedEvent[]> {
  if (range === undefined && recovered.size === 0) return events;
  const wanted = new Map<string, number>();
  for (const event of events) wanted.set(nameOf(event), (wanted.get(nameOf(event)) ?? 0) + 1);
  const isWhole = (name: string): boolean => (range?.linesByName.get(name) ?? 0) >= (wanted.get(name) ?? 0);
  const stored = new Map<string, number>();
  for (const mark of range?.marks ?? []) {
    if (isWhole(nameOfFolder(mark.partition.folder))) continue;
    for await (const line of linesOf(mark)) stored.set(lineKey(line), (stored.get(lineKey(line)) ?? 0) + 1);
  }
  return events.filter((event) => {
    if (isWhole(nameOf(event))) return false;
    const key = lineKey(event.encoded);
    return !takeOne(stored, key) && !takeOne(recovered, key);
  });
}

function nameOf({ payload }: ImportedEvent): string {
  return nameOfFolder(partitionOf(payload.env, payload.service, payload.app, 0).folder);
}

function takeOne(counts: Map<string, number>, key: string): boolean {
  const count = counts.get(key);
  if (count === undefined) return false;
  if (count > 1) counts.set(key, count - 1);
  else counts.delete(key);
  return true;
}
