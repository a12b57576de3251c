import type { DataFolder } from '../files/store-files.js';
import type { RemovalHistory } from '../index/content/removal.js';
import type { IndexGrouping } from '../index/replay/event-groupers.js';
import type { Partition } from '../record/partitions/partition-path.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import type { Found } from './finding.js';

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
  report(found: Found): void;
  /** Whether retention has removed the hour of a partition, as of now: beside a writer that may happen at any time. */
  isRemoved(partition: Partition): Promise<boolean>;
  /** Lets others have their turn, shows how far the work is, and throws where it was called off. To be awaited often. */
  turn(step: string, done: number, total: number): Promise<void>;
}
