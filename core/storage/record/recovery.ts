import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import type { StoreFiles } from '../files/store-files.js';
import { reasonOf } from './append-faults.js';
import { hourOfMicros } from './arrival-time.js';
import { findLastCommit, type PlacedCommit } from './commit-log.js';
import { MAX_COMMIT_INSTANTS } from './commit-record.js';
import type { Partition } from './partition.js';
import { COMMITS_FILE, RAW_FILE } from './partition-path.js';
import { createReadHandles } from './read-handles.js';
import { recoverPartition } from './recover-partition.js';
import { settleAll } from './settle-all.js';
import { walkPartitions } from './walk-partitions.js';

/** What recovery looks at. */
export interface RecoveryOptions {
  /** Absolute path of the data folder. */
  directory: string;
  files: StoreFiles;
  /** The index's cursor: everything up to here is known to be durable, and partitions of earlier hours are not looked at. 0: look at all. */
  afterMicros: number;
  /** Called with Fault `RECORD_DAMAGED` for what was once durable and is no longer as it was written. */
  onFault?: (fault: Fault) => void;
}

/** What recovery did. */
export interface RecoveryResult {
  /** Partitions that were looked at. */
  readonly partitions: number;
  /** The greatest `received_at` of the record, adopted lines included; at least `afterMicros`. */
  readonly lastReceivedAtMicros: number;
  /** Raw lines without a commit record that were given one. */
  readonly adoptedLines: number;
  /** Commit records that were dropped because their bytes are not there. */
  readonly droppedCommits: number;
  /** Those of them that had been durable; each loss was given to `onFault`. */
  readonly damagedCommits: number;
  /** Bytes cut from raw files, all of them copied to `salvage/` first. */
  readonly cutRawBytes: number;
  /** Bytes cut from commit files, likewise. */
  readonly cutCommitBytes: number;
}

interface Inspection {
  readonly partition: Partition;
  readonly last: PlacedCommit | undefined;
  readonly rawBytes: number;
  readonly commitBytes: number;
}

const PARALLEL_INSPECTIONS = 8;

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
  const inspections = await inspectAll(options);
  const newest = inspections.reduce((most, inspection) => Math.max(most, lastMicrosOf(inspection)), afterMicros);
  const durableMicros = Math.max(afterMicros, newest - MAX_COMMIT_INSTANTS);
  const result = {
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
      result.droppedCommits += done.droppedCommits;
      result.damagedCommits += done.damagedCommits;
      result.cutRawBytes += done.cutRawBytes;
      result.cutCommitBytes += done.cutCommitBytes;
    }
  }
  return result;
}

async function inspectAll({ files, directory, afterMicros }: RecoveryOptions): Promise<readonly Inspection[]> {
  const partitions = await walkPartitions(files, directory, { from: hourOfMicros(afterMicros) });
  const handles = createReadHandles(files, 2 * PARALLEL_INSPECTIONS);
  const inspections = new Map<Partition, Inspection>();
  try {
    await settleAll(partitions, PARALLEL_INSPECTIONS, async (partition) => {
      const commits = handles.file(join(directory, partition.folder, COMMITS_FILE));
      const rawBytes = await handles.file(join(directory, partition.folder, RAW_FILE)).size();
      const last = await findLastCommit(commits);
      inspections.set(partition, { partition, last, rawBytes, commitBytes: await commits.size() });
    });
  } finally {
    await handles.close();
  }
  return partitions.flatMap((partition) => inspections.get(partition) ?? []);
}

/** The instant of the last record; one outside the partition's hour was changed from outside and would hold the clock for ever. */
function lastMicrosOf({ partition, last }: Inspection): number {
  const micros = last?.record.receivedAtMicros ?? 0;
  return hourOfMicros(micros) === partition.hour ? micros : 0;
}

function needsMending({ last, rawBytes, commitBytes }: Inspection, afterMicros: number): boolean {
  if (last === undefined) return rawBytes > 0 || commitBytes > 0;
  const { record, end } = last;
  return record.offset + record.bytes !== rawBytes || end !== commitBytes || record.receivedAtMicros > afterMicros;
}
