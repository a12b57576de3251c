import { Fault } from '../../event/fault.js';
import type { DataFolder } from '../files/store-files.js';
import { codeOf } from '../files/system-error.js';
import type { RemovalHistory } from '../index/content/removal.js';
import type { IndexGrouping } from '../index/event-groupers.js';
import { reasonOf } from '../record/append-faults.js';
import type { Partition } from '../record/partitions/partition-path.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import type { FindingDetails } from './finding.js';

/** Returns code and message of a system error; undefined for any other error. */
export function systemReason(error: unknown): string | undefined {
  const code = codeOf(error);
  return code === undefined || error instanceof Fault ? undefined : `${code}, ${reasonOf(error)}`;
}

/** Input of all checks: the folder as it was found, and where to report. */
export interface VerifyContext extends DataFolder {
  readonly record: RecordReader;
  readonly grouping: IndexGrouping;
  /** The running writer; undefined if the folder has none. */
  readonly writer: string | undefined;
  /** Commits received up to here are durable; the writer may still be writing later ones. */
  readonly durableMicros: number;
  readonly history: RemovalHistory;
  /** Partitions of hours that retention has not removed. */
  readonly partitions: readonly Partition[];
  /** Folders of partitions with reported damage; consequences of it are not reported again. */
  readonly damagedFolders: Set<string>;
  /** Intact lines with a commit record, counted by `checkPartitions`. */
  events: number;
  report(found: FindingDetails): void;
  /** Whether retention has removed the hour of a partition by now; with a running writer that may happen at any time. */
  isRemoved(partition: Partition): Promise<boolean>;
  /** Yields to the event loop when the time slice is over, reports progress, and throws if aborted. Call it often. */
  nextSlice(step: string, done: number, total: number): Promise<void>;
}
