import { Fault } from '../../../event/fault.js';
import type { DataFolder } from '../../files/store-files.js';
import { reasonOf } from '../append-faults.js';
import { MAX_COMMIT_INSTANTS } from '../commits/commit-record.js';
import { type InspectedPartition, inspectPartitions } from '../inspect-partitions.js';
import { hourOfMicros, MICROS_PER_HOUR } from '../partitions/arrival-clock.js';
import { recoverPartition } from './recover-partition.js';

/** What recovery looks at. */
export interface RecoveryOptions extends DataFolder {
  /** The index's cursor: everything up to here is known to be durable, and partitions of earlier hours are not looked at. 0: look at all. */
  afterMicros: number;
  /** Called with Fault `RECORD_DAMAGED` for what was once durable and is no longer as it was written, and with `LINES_ADOPTED` for each partition with adopted lines. */
  onFault?: (fault: Fault) => void;
}

/** What recovery did. */
export interface RecoveryResult {
  /** Partitions that were looked at. */
  readonly partitions: number;
  /** The greatest `received_at` of the record, adopted lines included; at least `afterMicros`. */
  readonly lastReceivedAtMicros: number;
  /** Raw lines without a commit record that were given one, which `LINES_ADOPTED` tells. */
  readonly adoptedLines: number;
  /** The instant after which all of them were received; undefined where there are none. */
  readonly adoptedAfterMicros: number | undefined;
  /** Commit records that were dropped because their bytes are not there. */
  readonly droppedCommits: number;
  /** Those of them that had been durable; each loss was given to `onFault`. */
  readonly damagedCommits: number;
  /** Bytes cut from raw files, all of them copied to `salvage/` first. */
  readonly cutRawBytes: number;
  /** Bytes cut from commit files, likewise. */
  readonly cutCommitBytes: number;
}

/**
 * Brings the record into the state that the writer needs; under the writer lock, before anything is appended. May end anywhere and be run again.
 * Rejects with Fault `STORE_UNAVAILABLE` when the disk refuses.
 */
export async function recoverRecord(options: RecoveryOptions): Promise<RecoveryResult> {
  try {
    return await recover(options);
  } catch (cause) {
    throw new Fault(
      'STORE_UNAVAILABLE',
      `The record in ${options.directory} could not be recovered: ${reasonOf(cause)}. Mend the disk and start again.`,
      { cause, retryable: true },
    );
  }
}

async function recover(options: RecoveryOptions): Promise<RecoveryResult> {
  const { files, directory, afterMicros, onFault = () => undefined } = options;
  const inspections = await inspectPartitions(files, directory, hourOfMicros(afterMicros));
  const newest = inspections.reduce((most, inspection) => Math.max(most, lastMicrosOf(inspection)), afterMicros);
  const durableMicros = Math.max(afterMicros, newest - MAX_COMMIT_INSTANTS);
  const result = {
    adoptedAfterMicros: undefined as number | undefined,
    partitions: inspections.length,
    lastReceivedAtMicros: newest,
    adoptedLines: 0,
    droppedCommits: 0,
    damagedCommits: 0,
    cutRawBytes: 0,
    cutCommitBytes: 0,
  };
  // Whatever the index does not know yet is synced here: under `os` the process before may not have, and a checkpoint soon counts it.
  const mended = inspections.filter((inspection) => needsMending(inspection, afterMicros));
  // What is adopted is the newest of the record from then on. Were this to end before all of the last group commit was looked at, the next
  // recovery would take the rest of it for durable.
  for (const adopts of [false, true]) {
    for (const { partition } of mended) {
      const lastMicros = result.lastReceivedAtMicros;
      const how = { files, directory, durableMicros, afterMicros, lastMicros, adopts, onFault };
      const done = await recoverPartition(partition, how);
      result.lastReceivedAtMicros = Math.max(lastMicros, done.adoptedAtMicros ?? 0);
      result.adoptedLines += done.adoptedLines;
      if (done.adoptedLines > 0) {
        const before = Math.max(afterMicros, done.keptMicros, partition.hour * MICROS_PER_HOUR - 1);
        result.adoptedAfterMicros = Math.min(result.adoptedAfterMicros ?? before, before);
      }
      result.droppedCommits += done.droppedCommits;
      result.damagedCommits += done.damagedCommits;
      result.cutRawBytes += done.cutRawBytes;
      result.cutCommitBytes += done.cutCommitBytes;
    }
  }
  return result;
}

/** The instant of the last record; one outside the partition's hour was changed from outside and would hold the clock for ever. */
function lastMicrosOf({ partition, last }: InspectedPartition): number {
  const micros = last?.record.receivedAtMicros ?? 0;
  return hourOfMicros(micros) === partition.hour ? micros : 0;
}

function needsMending({ last, rawBytes, commitBytes }: InspectedPartition, afterMicros: number): boolean {
  if (last === undefined) return rawBytes > 0 || commitBytes > 0;
  const { record, end } = last;
  return record.offset + record.bytes !== rawBytes || end !== commitBytes || record.receivedAtMicros > afterMicros;
}
