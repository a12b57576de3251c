import type { DataFolder } from '../files/store-files.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import type { KnownActions } from './checkpoint/manifest.js';
import type { RemovalHistory } from './content/removal.js';
import type { IndexGrouping } from './replay/event-groupers.js';
import type { ReplayProgress } from './replay/replay-record.js';

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
