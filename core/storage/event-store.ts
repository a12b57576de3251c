import type { FingerprintedEvent, StoredEvent } from '../event/stages.js';
import type { RawPayload } from '../event/raw-payload.js';
import type { Fingerprint } from '../fingerprint/fingerprint.js';
import type { FailureReader, Stats } from '../reader.js';

/** How the store is opened; written by code, not by operators. */
export interface EventStoreOptions {
  /** The data folder; made when absent. */
  directory: string;
  /** `fsync` (default): answered means on the disk. `os`: answered means handed to the operating system. */
  durability?: 'fsync' | 'os';
  /** Groups a raw payload again when the index is replayed or rebuilt; must be the function that grouped it on arrival. */
  fingerprint: (payload: RawPayload) => Fingerprint;
  /** Milliseconds between checkpoints of the index, default 5,000. */
  checkpointIntervalMs?: number;
  /** Wall clock in milliseconds since the epoch, default `Date.now`; handed in so that tests can cross an hour. */
  nowMs?: () => number;
  /** Called while an index is rebuilt, at most ten times a second. */
  onProgress?: (progress: { doneEvents: number; totalEvents: number | undefined }) => void;
  /** Called once for every fault that no caller is waiting for (a checkpoint that failed, a tail that was cut). */
  onFault?: (fault: Error) => void;
}

/**
 * The one writer of a data folder.
 * `append` answers when every event of the batch is durable, over however many partitions; a batch is refused whole with a retryable
 * Fault (`STORE_CLOSING`, `STORE_UNAVAILABLE`), and then none of it stays in the record. Calls may run at the same time and share a commit.
 * After an answer the reader sees the events. `close` is idempotent: it lets running appends finish, checkpoints and gives the lock back.
 */
export interface EventStore {
  append(events: readonly FingerprintedEvent[], options?: AppendOptions): Promise<readonly StoredEvent[]>;
  /** Over this store in this process; closing it leaves the store open. */
  readonly reader: FailureReader;
  /** Brings the index on disk up to the last commit. */
  checkpoint(): Promise<void>;
  stats(): Stats;
  close(): Promise<void>;
}

/** What a sender may add to a batch. */
export interface AppendOptions {
  /**
   * Names the batch in its commit records, so that a sender who was interrupted finds out what is already stored
   * (see `findMarks`). At most 200 characters.
   */
  mark?: string;
}
