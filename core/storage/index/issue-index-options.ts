import type { Low } from 'lowdb';
import type { Timers } from '../../timers.js';
import type { DataFolder } from '../files/store-files.js';
import type { InspectedPartition } from '../record/inspect-partitions.js';
import type { KnownActions } from './checkpoint/manifest.js';
import type { RemovalHistory } from './content/removal.js';
import type { ClosedHours } from './documents/hours-document.js';
import type { IndexGrouping } from './event-groupers.js';
import type { ReplayableRecord, ReplayProgress } from './replay-into-index.js';

/** What a start finds of the record. It reads only the hours that the index does not know to be closed. */
export interface InspectedRecord {
  /** The hours that are not inspected. */
  readonly closed: ClosedHours;
  /** All partitions of later hours, ordered by hour and folder. */
  readonly inspected: readonly InspectedPartition[];
}

/** A record that is ready for its replay. */
export interface ReadyRecord {
  /** The inspected partitions as recovery left them. */
  readonly inspected: readonly InspectedPartition[];
  /** The instant after which lines were received that recovery dated again, if any. */
  readonly adoptedAfterMicros: number | undefined;
}

/**
 * What an index calls in the store that opens it, which knows the record's writer and the action log. `beforeReplay` comes once or twice while
 * the index opens, the others with each checkpoint, also while it opens.
 */
export interface IndexHost {
  /**
   * Called before the replay with the receipt after which the index needs the record (0: all of it), and again with 0 if the index turns
   * out to be ahead of the record. Recovers the record; undefined if there is nothing to recover.
   */
  beforeReplay?: ((cursorMicros: number, found: InspectedRecord) => Promise<ReadyRecord | undefined>) | undefined;
  /** Called before a manifest covers events; resolves when they are durable. Default: they are durable before they are applied. */
  beforeManifest?: (() => Promise<void>) | undefined;
  /** State of the action log, for each checkpoint; undefined (default) keeps that of the previous manifest. */
  knownActions?: (() => KnownActions | undefined) | undefined;
}

/** Options for opening the index in the process that writes it. */
export interface IssueIndexOptions extends DataFolder, IndexHost {
  /** Stays open when the index closes. */
  record: ReplayableRecord;
  grouping: IndexGrouping;
  /** The document of the closed hours, default: it is opened. */
  closedHours?: Low<ClosedHours> | undefined;
  /** Default: nothing was removed. */
  history?: RemovalHistory | undefined;
  /** Milliseconds between checkpoints, default 5,000. */
  checkpointIntervalMs?: number | undefined;
  /** Milliseconds that the last checkpoint may take at `close`, default unlimited; what it lacks is replayed by the next start. */
  closeTimeoutMs?: number | undefined;
  /** Default those of this process. */
  timers?: Timers | undefined;
  onProgress?: ((progress: ReplayProgress) => void) | undefined;
  /** Aborts the replay: the index closes, and opening it rejects with `STORE_CLOSING`. The next start continues there. */
  signal?: AbortSignal | undefined;
  /** Called for an index that was set aside, for damage in the record, and for the first write failure of a series. */
  onFault?: ((fault: Error) => void) | undefined;
}
