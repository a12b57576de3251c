import { Fault } from '../../event/fault.js';
import { beginTimeSlice } from '../../time-slice.js';
import type { DataFolder } from '../files/store-files.js';
import { reasonOf } from './append-faults.js';
import { MAX_COMMIT_TIMESTAMPS } from './commits/commit-record.js';
import { type InspectedPartition, inspectPartition, inspectPartitions } from './inspect-partitions.js';
import { hourOfMicros } from './partitions/arrival-clock.js';
import type { Partition } from './partitions/partition-path.js';
import { type PartitionRecovery, recoverPartition } from './recover-partition.js';
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
export interface RecoveredRecord {
  /** Partitions that were looked at. */
  partitions: number;
  /** The greatest `received_at` of the record, adopted lines included; at least `afterMicros`. */
  lastReceivedAtMicros: number;
  /** Raw lines that got a commit record; reported as `LINES_ADOPTED`. */
  adoptedLines: number;
  /** A timestamp before all adopted lines; undefined if none. */
  adoptedAfterMicros: number | undefined;
  /** Commit records dropped because their bytes are missing. */
  droppedCommits: number;
  /** Those of them that were durable; each loss was reported to `onFault`. */
  damagedCommits: number;
  /** Bytes cut from raw files after copying them to `salvage/`. */
  cutRawBytes: number;
  /** Bytes cut from commit files, likewise. */
  cutCommitBytes: number;
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
  const totals: Omit<RecoveredRecord, 'inspected'> = {
    partitions: inspections.length,
    lastReceivedAtMicros: newest,
    adoptedLines: 0,
    adoptedAfterMicros: undefined,
    droppedCommits: 0,
    damagedCommits: 0,
    cutRawBytes: 0,
    cutCommitBytes: 0,
  };
  // Includes all that the index does not know yet: under `os` it may not be synced, and a checkpoint soon relies on it.
  const incomplete = inspections.filter((inspection) => needsRecovery(inspection, afterMicros));
  const folders = new DurableFolders(directory);
  const recoverNext = async (partition: Partition, adopts: boolean): Promise<PartitionRecovery> => {
    const { lastReceivedAtMicros } = totals;
    const how = { files, directory, durableMicros, afterMicros, lastReceivedAtMicros, adopts, folders, onFault };
    const recovery = await recoverPartition(partition, how);
    addTo(totals, recovery);
    return recovery;
  };
  // Lines are adopted last, because they are the newest of the record then. If a crash came before the whole last group
  // commit was checked, the next recovery would treat the rest of it as durable.
  const withRawLeft: Partition[] = [];
  for (const { partition } of incomplete) {
    const { isRawLeft } = await recoverNext(partition, false);
    if (isRawLeft) withRawLeft.push(partition);
  }
  for (const partition of withRawLeft) await recoverNext(partition, true);
  return { ...totals, inspected: await inspectAgain(options, inspected, new Set(incomplete)) };
}

function addTo(totals: Omit<RecoveredRecord, 'inspected'>, recovery: PartitionRecovery): void {
  totals.droppedCommits += recovery.droppedCommits;
  totals.damagedCommits += recovery.damagedCommits;
  totals.cutRawBytes += recovery.cutRawBytes;
  totals.cutCommitBytes += recovery.cutCommitBytes;
  const { adopted } = recovery;
  if (adopted === undefined) return;
  totals.adoptedLines += adopted.lines;
  totals.lastReceivedAtMicros = Math.max(totals.lastReceivedAtMicros, adopted.receivedAtMicros);
  totals.adoptedAfterMicros = Math.min(totals.adoptedAfterMicros ?? adopted.afterMicros, adopted.afterMicros);
}

async function inspectAgain(
  folder: DataFolder,
  inspected: readonly InspectedPartition[],
  changed: ReadonlySet<InspectedPartition>,
): Promise<readonly InspectedPartition[]> {
  const now: InspectedPartition[] = [];
  const slice = beginTimeSlice();
  for (const before of inspected) {
    now.push(changed.has(before) ? await inspectPartition(folder, before.partition) : before);
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
