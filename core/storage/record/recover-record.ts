import { Fault } from '../../event/fault.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { DataFolder } from '../files/store-files.js';
import { reasonOf } from './append-faults.js';
import { MAX_COMMIT_TIMESTAMPS } from './commits/commit-record.js';
import { type InspectedPartition, inspectPartition, inspectPartitions } from './inspect-partitions.js';
import { hourOfMicros } from './partitions/arrival-clock.js';
import type { Partition } from './partitions/partition-path.js';
import { type RecoveryResult, recoverPartition } from './recover-partition.js';
import { DurableFolders } from './writer/partition-logs.js';

interface RecoveryOptions extends DataFolder {
  /** The cursor of the index: everything up to here is durable, and partitions of earlier hours are skipped. 0: inspect all. */
  afterMicros: number;
  /** The partitions of its hour and later ones, and maybe others; default: they are inspected. */
  inspected?: readonly InspectedPartition[];
  /** Called with Fault `RECORD_DAMAGED` for lost or changed durable lines, and with `LINES_ADOPTED` for each partition with adopted lines. */
  onFault?: (fault: Fault) => void;
}

/** What recovery found and changed. */
export interface RecoveredRecord extends RecoveryResult {
  /** The given partitions as they are now, ordered by hour and folder. */
  readonly inspected: readonly InspectedPartition[];
}

/** Makes the record consistent, before the first append; may be interrupted and repeated. Fault `STORE_UNAVAILABLE`. */
export async function recoverRecord(options: RecoveryOptions): Promise<RecoveredRecord> {
  try {
    return await recover(options);
  } catch (cause) {
    throw new Fault(
      'STORE_UNAVAILABLE',
      `The record in ${options.directory} could not be recovered: ${reasonOf(cause)}. Repair the disk and start again.`,
      { cause, retryable: true },
    );
  }
}

async function recover(options: RecoveryOptions): Promise<RecoveredRecord> {
  const { files, directory, afterMicros, onFault = () => undefined } = options;
  const from = hourOfMicros(afterMicros);
  const inspected = options.inspected ?? (await inspectPartitions(files, directory, { from }));
  const inspections = inspected.filter(({ partition }) => partition.hour >= from);
  const newest = inspections.reduce((most, inspection) => Math.max(most, lastMicrosOf(inspection)), afterMicros);
  const durableMicros = Math.max(afterMicros, newest - MAX_COMMIT_TIMESTAMPS);
  const result: RecoveryResult = {
    adoptedAfterMicros: undefined,
    partitions: inspections.length,
    lastReceivedAtMicros: newest,
    adoptedLines: 0,
    droppedCommits: 0,
    damagedCommits: 0,
    cutRawBytes: 0,
    cutCommitBytes: 0,
  };
  // Includes all that the index does not know yet: under `os` it may not be synced, and a checkpoint soon relies on it.
  const incomplete = inspections.filter((inspection) => needsRecovery(inspection, afterMicros));
  // Adopted lines are the newest of the record. If a crash came before the whole last group commit was checked, the next
  // recovery would treat the rest of it as durable.
  const how = { files, directory, durableMicros, afterMicros, folders: new DurableFolders(directory), onFault };
  const withRawLeft: Partition[] = [];
  for (const { partition } of incomplete) {
    if (await recoverPartition(partition, { ...how, adopts: false }, result)) withRawLeft.push(partition);
  }
  for (const partition of withRawLeft) await recoverPartition(partition, { ...how, adopts: true }, result);
  return { ...result, inspected: await inspectAgain(options, inspected, new Set(incomplete)) };
}

async function inspectAgain(
  folder: DataFolder,
  inspected: readonly InspectedPartition[],
  changed: ReadonlySet<InspectedPartition>,
): Promise<readonly InspectedPartition[]> {
  const now: InspectedPartition[] = [];
  const slice = beginTimeSlice();
  for (const partition of inspected) {
    now.push(changed.has(partition) ? await inspectPartition(folder, partition.partition) : partition);
    if (slice.isOver) await slice.next();
  }
  return now;
}

/** Timestamp of the last record; one outside the partition's hour was changed, and would hold the clock back forever. */
function lastMicrosOf({ partition, last }: InspectedPartition): number {
  const micros = last?.record.receivedAtMicros ?? 0;
  return hourOfMicros(micros) === partition.hour ? micros : 0;
}

function needsRecovery({ last, rawBytes, commitBytes }: InspectedPartition, afterMicros: number): boolean {
  if (last === undefined) return rawBytes > 0 || commitBytes > 0;
  const { record, end } = last;
  return record.offset + record.bytes !== rawBytes || end !== commitBytes || record.receivedAtMicros > afterMicros;
}
