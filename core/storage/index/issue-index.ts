import type { CommittedEvent } from '../committed-event.js';
import type { DataFolder } from '../files/store-files.js';
import type { GroupingPlan } from '../record/grouping-log-plan.js';
import type { RecordReader } from '../record/record-reader.js';
import type { IndexGrouping } from './event-groupers.js';
import type { IndexSource } from './index-source.js';
import type { KnownActions } from './manifest.js';
import type { RemovalHistory, RemovalPlan } from './removal.js';
import type { ReplayProgress } from './replay-record.js';
import type { WritingGeneration } from './writing-generation.js';

/** How the index is opened by the one process that writes it. */
export interface IssueIndexOptions extends DataFolder {
  /** The record from which the index is derived; stays open when the index closes. */
  record: Pick<RecordReader, 'partitionOfId' | 'replay'>;
  /** How events are grouped. */
  grouping: IndexGrouping;
  /** What retention wrote down; default: nothing was removed. */
  history?: RemovalHistory | undefined;
  /** Milliseconds between checkpoints, default 5,000. */
  checkpointIntervalMs?: number | undefined;
  /**
   * Called before anything is replayed, with the receipt after which the index needs the record (0: all of it). Answers the instant after which lines
   * were received that it dated anew; undefined: there are none. Called a second time, with 0, where the index then turns out to be ahead of the record.
   */
  beforeReplay?: ((cursorMicros: number) => Promise<number | undefined>) | undefined;
  /** Called before a manifest says that events are covered: answers when they are on the disk. Default: they are there before they are applied. */
  beforeManifest?: (() => Promise<void>) | undefined;
  /** What a manifest is to say of the action log, asked at each checkpoint; undefined, and the default: what the one before says. */
  knownActions?: (() => KnownActions | undefined) | undefined;
  /** Called while the record is replayed. */
  onProgress?: ((progress: ReplayProgress) => void) | undefined;
  /** Ends a replay: the index is closed, and opening it rejects with Fault `STORE_CLOSING`. The next one goes on from there. */
  signal?: AbortSignal | undefined;
  /** Called for what no caller waits for: an index that was set aside, damage in the record, the first of a row of failed writes. */
  onFault?: ((fault: Error) => void) | undefined;
}

/** What a generation begins with. */
export interface NextGeneration {
  readonly plan: GroupingPlan;
  /** Grouping of one that is kept on the disk, from which it goes on where that can be used; absent: it begins without events. */
  readonly from?: string | null;
}

/** The index in the process that writes it. */
export interface IssueIndex extends IndexSource {
  /** Takes one whole commit, in the order of commits; synchronous. */
  apply(events: readonly CommittedEvent[]): void;
  /** Brings the index on disk up to the last commit; rejects with the system's error. */
  checkpoint(): Promise<void>;
  /**
   * Takes the events before an instant out of the index, once `writeDown` has made them durable as removed. No event before it may arrive any more.
   * False where nothing was done: the index is closed or unusable, or `isCancelled` said so. Rejects as `writeDown` does, with `INDEX_UNUSABLE`, or
   * with the system's error; then nothing is removed. The caller makes a checkpoint afterwards.
   */
  remove(removal: RemovalPlan): Promise<boolean>;
  /** Lets removals wait until the answer is called, so that generations made meanwhile know the same ones. Rejects with `STORE_CLOSING`. */
  holdRemovals(): Promise<() => void>;
  /**
   * Begins a generation that is grouped by another plan: without events, or with those of one that is kept on the disk grouped by `from`. Nobody sees it,
   * and nothing is taken into it by itself; removals must be held. Rejects with the system's error.
   */
  beginGeneration(next: NextGeneration): Promise<WritingGeneration>;
  /**
   * Shows a generation, once `commit` has written down that it counts; it must hold all that was applied, and have made a checkpoint. Until it answers
   * nothing may be applied. What `commit` says rejects it, and nothing is changed; afterwards nothing does. The generation from before is kept on the disk where `kept` names
   * its grouping, and is removed otherwise.
   */
  show(next: WritingGeneration, commit: () => Promise<void>, kept: string | null | undefined): Promise<void>;
}
