import type { RawPayload } from '../../core/event/raw-payload.js';
import type { FoundBatch } from '../../core/storage/record/commits/find-batches.js';
import { partitionOf } from '../../core/storage/record/partitions/partition-path.js';
import { type ImportedRange, partitionName } from './import-batches.js';

export interface ImportedEvent {
  readonly payload: RawPayload;
  readonly encoded: Buffer;
}

/** What earlier runs stored. */
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

/**
 * Returns the events of a batch that are not stored yet. If a partition lacks some, the batch is compared line by line, because batch ids do not tell
 * which lines an interrupted run stored.
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
  return partitionName(partitionOf(payload.env, payload.service, payload.app, 0).folder);
}

function decrement(counts: Map<string, number>, key: string): boolean {
  const count = counts.get(key);
  if (count === undefined) return false;
  if (count > 1) counts.set(key, count - 1);
  else counts.delete(key);
  return true;
}
