import type { Fault } from '../event/fault.js';
import type { Timers } from '../timers.js';
import type { DeadLetterBounds } from './dead-letters/dead-letter-files.js';
import type { StoreFiles } from './files/store-files.js';
import type { CreateGrouper } from './index/event-groupers.js';
import type { ReplayProgress } from './index/replay-into-index.js';
import type { Uptime } from './record/partitions/arrival-clock.js';
import type { GroupingRules } from './regroup/store-groupings.js';
import type { RetentionBounds } from './retention/choose-removal.js';

/** Options of `openEventStore`. */
export interface EventStoreOptions {
  /** The data folder; created if missing. */
  directory: string;
  /** `fsync` (default): stored means on the disk. `os`: stored means handed to the operating system. */
  durability?: 'fsync' | 'os';
  /** Grouping rules for new events; default: those of the last opening, none in a new folder. */
  groupingRules?: GroupingRules;
  /** Creates the grouper, default the built-in one; for tests. */
  createGrouper?: CreateGrouper;
  /** Interrupts a replay while the store opens, which then rejects with Fault `STORE_CLOSING`; the next opening continues the replay. */
  signal?: AbortSignal;
  /** Milliseconds between checkpoints of the index, and under `os` from an append to its sync; default 5,000. */
  checkpointIntervalMs?: number;
  /** Milliseconds that the last checkpoint may take at `close`, default unlimited. What it lacks is replayed by the next opening. */
  checkpointTimeoutMs?: number;
  /** Bounds of stored events, default none. */
  retention?: RetentionBounds;
  /** Milliseconds between two runs of retention, default 60,000. */
  retentionIntervalMs?: number;
  /** Bounds of dead letters, default 168 hours and 100 MiB. */
  rejected?: DeadLetterBounds;
  /** Wall clock in milliseconds since the epoch, default `Date.now`. */
  nowMs?: () => number;
  /** Monotonic clock, default the uptime of this machine, or `nowMs` if that is given. */
  uptime?: Uptime;
  /** Timers of checkpoints and syncs, default those of this process; for tests. */
  timers?: Timers;
  /** The file system, default that of this machine; for tests. */
  files?: StoreFiles;
  /**
   * Called once if files of the store were moved, removed or changed by another process (`RECORD_MOVED`). The store accepts no more writes: close it and
   * open the folder again. Default: `onFault`.
   */
  onLost?: (fault: Fault) => void;
  /** Called while the record is replayed into the index. */
  onProgress?: (progress: ReplayProgress) => void;
  /** Called for faults that no caller waits for: a failed checkpoint or removal, damage, adopted lines, restored partitions. */
  onFault?: (fault: Error) => void;
}
