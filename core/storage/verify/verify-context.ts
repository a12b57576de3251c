import { Fault } from '../../event/fault.js';
import type { DataFolder } from '../files/store-files.js';
import type { RemovalHistory } from '../index/content/removal.js';
import type { IndexGrouping } from '../index/replay/event-groupers.js';
import type { Partition } from '../record/partitions/partition-path.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import type { FindingDetails } from './finding.js';

/** What the system said when it refused; undefined for an error that is not the system's. */
export function systemReason(error: unknown): string | undefined {
  // Not by class: an error of the system may come from another realm than ours.
  if (typeof error !== 'object' || error === null || error instanceof Fault) return undefined;
  if (!('code' in error) || typeof error.code !== 'string' || !('message' in error)) return undefined;
  return `${error.code}, ${String(error.message)}`;
}

/** What every check is given: the folder as it was found, and whom to tell. */
export interface VerifyContext extends DataFolder {
  readonly record: RecordReader;
  /** By the log of groupings as it was found. */
  readonly grouping: IndexGrouping;
  /** Who writes into the folder now; undefined when nobody does. */
  readonly writer: string | undefined;
  /** Commits received up to here are durable. Later ones may still be under way: there is a writer. */
  readonly durableMicros: number;
  /** What retention wrote down. */
  readonly history: RemovalHistory;
  /** Those of hours that retention has not removed. */
  readonly partitions: readonly Partition[];
  /** Folders of partitions whose files do not agree: what follows from that is not said again. */
  readonly damagedFolders: Set<string>;
  /** Lines of the record that are covered by a commit record and whole, counted by the first check of it. */
  events: number;
  report(found: FindingDetails): void;
  /** Whether retention has removed the hour of a partition, as of now: beside a writer that may happen at any time. */
  isRemoved(partition: Partition): Promise<boolean>;
  /** Lets others have their turn, shows how far the work is, and throws where it was called off. To be awaited often. */
  nextSlice(step: string, done: number, total: number): Promise<void>;
}
