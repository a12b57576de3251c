import type { Fault } from '../event/fault.js';
import type { RejectedBounds } from './dead-letters/dead-letter-files.js';
import type { StoreFiles } from './files/store-files.js';
import type { CreateGrouper } from './index/replay/event-groupers.js';
import type { ReplayProgress } from './index/replay/replay-record.js';
import type { Uptime } from './record/partitions/arrival-clock.js';
import type { GroupingRules } from './regroup/store-groupings.js';
import type { RetentionBounds } from './retention/choose-removal.js';

/** How the store is opened; written by code, not by operators. */
export interface EventStoreOptions {
  /** The data folder; made when absent. */
  directory: string;
  /** `fsync` (default): answered means on the disk. `os`: answered means handed to the operating system. */
  durability?: 'fsync' | 'os';
  /** The user's rules for new events; default: those with which the folder was last opened, none in a new one. */
  groupingRules?: GroupingRules;
  /** Makes what groups events, default the product's own; handed in so that tests choose what is one issue. */
  createGrouper?: CreateGrouper;
  /** Ends a replay of the record while the store opens, which then rejects with Fault `STORE_CLOSING`; the next opening goes on from there. */
  signal?: AbortSignal;
  /** Milliseconds between checkpoints of the index, default 5,000. */
  checkpointIntervalMs?: number;
  /** How long events are kept; default: for ever. */
  retention?: RetentionBounds;
  /** Milliseconds between two looks at what retention has to remove, default 60,000. */
  retentionIntervalMs?: number;
  /** How long rejected payloads are kept, default 168 hours and 100 MiB. */
  rejected?: RejectedBounds;
  /** Wall clock in milliseconds since the epoch, default `Date.now`; handed in so that tests can cross an hour. */
  nowMs?: () => number;
  /** Time that passes whatever `nowMs` does, default the uptime of this machine, and `nowMs` itself where that is handed in. */
  uptime?: Uptime;
  /** The disk, default the one of this machine; handed in so that tests can make every step fail. */
  files?: StoreFiles;
  /**
   * Called once when the store finds that its files were moved, removed or changed under it (`RECORD_MOVED`). It takes nothing more: close it, and open
   * the folder again. Default: `onFault` is.
   */
  onLost?: (fault: Fault) => void;
  /** Called while the record is replayed into the index. */
  onProgress?: (progress: ReplayProgress) => void;
  /**
   * Called once for every fault that no caller is waiting for: a checkpoint or a removal that failed, damage in the record, lines that recovery
   * mended, partitions that were put back into hours that retention removed.
   */
  onFault?: (fault: Error) => void;
}
