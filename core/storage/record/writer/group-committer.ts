import { Fault } from '../../../event/fault.js';
import { systemTimers, type Timers } from '../../../timers.js';
import { FailureStreak } from '../../files/failure-streak.js';
import type { DataFolder } from '../../files/store-files.js';
import { RecordMoved, reasonOf, recordNotSynced, storeUnavailable } from '../append-faults.js';
import { MAX_COMMIT_TIMESTAMPS } from '../commits/commit-record.js';
import type { CommittedEvent } from '../commits/committed-event.js';
import type { MeasuredHour } from '../hour-sizes.js';
import { BufferPool } from '../io/buffer-pool.js';
import { settleAll } from '../io/settle-all.js';
import { type ArrivalClock, hourOfMicros } from '../partitions/arrival-clock.js';
import { MAX_PARTITION_LINES } from '../partitions/event-id.js';
import type { FolderId } from '../partitions/folder-id.js';
import type { Partition } from '../partitions/partition-path.js';
import {
  type CommitPlan,
  PartitionCache,
  type PendingAppend,
  type PlannedPartition,
  planCommit,
} from './commit-plan.js';
import { openPartitionLog, type PartitionLog } from './partition-log.js';
import { DurableFolders, PartitionLogs } from './partition-logs.js';

/** Partitions of one commit written at the same time; fewer in a long commit, because each joins its lines without yielding. */
const PARALLEL_PARTITIONS = 16;
const PARALLEL_IN_LONG_COMMIT = 2;

const MAX_OPEN_PARTITIONS = 64;

const SYNC_INTERVAL_MS = 5_000;

/** Options of the committer. */
export interface GroupCommitterOptions extends DataFolder {
  /** Default: ids do not depend on the folder. */
  folderId?: FolderId;
  /** The clock of the folder, later than everything that recovery found. */
  clock: ArrivalClock;
  /** `fsync` (default): committed means on the disk. `os`: committed means handed to the operating system. */
  durability?: 'fsync' | 'os';
  /** Under `os`, milliseconds from a commit to its sync, default 5,000. */
  syncIntervalMs?: number | undefined;
  /** Default those of this process. */
  timers?: Timers | undefined;
  /** Called before a commit is accepted; rejects if the folder at the path is not the writer's. Default: no check. */
  holdsFolder?: () => Promise<void>;
  /** Called for each partition that a commit wrote, with what it added. Must not throw. */
  onGrown?: (added: MeasuredHour) => void;
  /** Called for `RECORD_MOVED`, and for faults that no caller waits for, such as a rollback that failed. */
  onFault?: (fault: Fault) => void;
  /** Most partitions whose files stay open between commits, default 64. */
  maxOpenPartitions?: number;
  /** Most lines of one partition, default 2^30, the limit of an event id. */
  maxPartitionLines?: number;
}

/** Makes appends durable together, over any number of partitions, or rolls all of them back. One commit at a time. */
export class GroupCommitter {
  readonly #options: GroupCommitterOptions;
  readonly #durable: boolean;
  readonly #logs: PartitionLogs;
  readonly #folders: DurableFolders;
  readonly #buffers = new BufferPool();
  readonly #partitions: PartitionCache;
  /** Partitions that may still hold refused bytes, because their rollback failed. */
  readonly #dirty = new Set<PartitionLog>();
  /** Partition folders whose names are not synced yet, under `os`. */
  readonly #unsyncedFolders = new Set<string>();
  readonly #syncClock: SyncClock;
  /** Resolves when the last flush has ended. */
  #flushed: Promise<void> = Promise.resolve();

  constructor(options: GroupCommitterOptions) {
    const { directory, files, folderId, maxOpenPartitions = MAX_OPEN_PARTITIONS } = options;
    this.#options = options;
    this.#partitions = new PartitionCache(folderId);
    this.#durable = options.durability !== 'os';
    this.#folders = new DurableFolders(directory);
    const open = (partition: Partition) => openPartitionLog(files, directory, partition, this.#durable);
    this.#logs = new PartitionLogs(open, maxOpenPartitions);
    this.#syncClock = new SyncClock({
      sync: () => this.flush(),
      intervalMs: options.syncIntervalMs ?? SYNC_INTERVAL_MS,
      timers: options.timers ?? systemTimers,
      onFault: (error) => options.onFault?.(recordNotSynced(error)),
    });
  }

  /** True while refused bytes are still to be cut. */
  get isDirty(): boolean {
    return this.#dirty.size > 0;
  }

  /** Syncs files and folder names that were written without a sync, after a running call: what that one syncs is durable, too. */
  async flush(): Promise<void> {
    if (this.#durable) return;
    const flushed = this.#flushed.then(() => this.#flush());
    this.#flushed = flushed.catch(() => undefined);
    await flushed;
  }

  async #flush(): Promise<void> {
    const unsynced = [...this.#unsyncedFolders];
    await this.#logs.flush();
    await this.#syncNames(unsynced);
    for (const folder of unsynced) this.#unsyncedFolders.delete(folder);
  }

  /** Returns the events of each `received_at` in order of arrival, and fills `committed` of each append. Throws a Fault if nothing was stored. */
  async commit(appends: readonly PendingAppend[]): Promise<readonly (readonly CommittedEvent[])[]> {
    const { plan, firstMicros } = await this.#plan(appends);
    const logs = new Map<PlannedPartition, PartitionLog>();
    const events = new Map<PlannedPartition, readonly CommittedEvent[]>();
    try {
      await this.#rollbackLeftovers();
      await this.#logs.forget(hourOfMicros(firstMicros));
      await this.#openLogs(plan, logs);
      await this.#writeAndSync(logs, firstMicros, events);
      await this.#syncFolders(plan);
      await this.#checkPlaces(logs.values());
    } catch (error) {
      if (error instanceof RecordMoved) this.#options.onFault?.(error);
      await this.#rollback(logs.values());
      throw storeUnavailable(error);
    }
    this.#accept(logs);
    return byTimestamp(plan, events);
  }

  /** Retries failed rollbacks and closes all files. */
  async close(): Promise<void> {
    this.#syncClock.close();
    await this.#flushed;
    await this.#rollback([...this.#dirty]);
    await this.#logs.closeAll();
  }

  async #plan(appends: readonly PendingAppend[]): Promise<{ plan: CommitPlan; firstMicros: number }> {
    for (let timestamps = 1; ; ) {
      const firstMicros = this.#options.clock.nextRun(timestamps);
      const plan = await planCommit(appends, hourOfMicros(firstMicros), this.#partitions);
      if (plan.timestamps <= timestamps) return { plan, firstMicros };
      timestamps = plan.timestamps;
      if (timestamps > MAX_COMMIT_TIMESTAMPS) {
        throw new Fault(
          'STORE_PARTITION_COLLISION',
          `More than ${MAX_COMMIT_TIMESTAMPS} of the batch's environments, services and apps have the same hash in this hour. Send them in smaller batches.`,
        );
      }
    }
  }

  /** Puts the open partitions into `logs` one by one, so that a failure can roll back those that are open. */
  async #openLogs(plan: CommitPlan, logs: Map<PlannedPartition, PartitionLog>): Promise<void> {
    await settleAll(plan.partitions, PARALLEL_PARTITIONS, async (planned) => {
      const log = await this.#logs.acquire(planned.partition);
      logs.set(planned, log);
      this.#refuseWhenFull(log, planned);
    });
  }

  /** Fills `events`. */
  async #writeAndSync(
    logs: ReadonlyMap<PlannedPartition, PartitionLog>,
    firstMicros: number,
    events: Map<PlannedPartition, readonly CommittedEvent[]>,
  ): Promise<void> {
    const isLong = [...logs.keys()].some(({ records }) => records.length > 1);
    await settleAll(logs, isLong ? PARALLEL_IN_LONG_COMMIT : PARALLEL_PARTITIONS, async ([planned, log]) => {
      const receivedAtMicros = firstMicros + planned.timestampIndex;
      events.set(planned, await log.write(planned, receivedAtMicros, this.#buffers));
      await this.#logs.release(log);
    });
  }

  /** Last of all: a file that was moved while others were synced must fail the commit. */
  async #checkPlaces(logs: Iterable<PartitionLog>): Promise<void> {
    await this.#options.holdsFolder?.();
    for (const log of logs) await log.check();
  }

  #accept(logs: ReadonlyMap<PlannedPartition, PartitionLog>): void {
    for (const [planned, log] of logs) {
      const added = log.accept(planned.lines);
      this.#options.onGrown?.(added);
    }
    if (!this.#durable) this.#syncClock.written();
  }

  #refuseWhenFull(log: PartitionLog, planned: PlannedPartition): void {
    const { maxPartitionLines = MAX_PARTITION_LINES } = this.#options;
    if (log.lines + planned.lines <= maxPartitionLines) return;
    throw new Fault(
      'STORE_PARTITION_FULL',
      `${log.raw.path} holds ${log.lines} lines and may hold ${maxPartitionLines}. Send the batch again in the next hour.`,
      { retryable: true },
    );
  }

  /** The names of new folders and files must be as durable as their content. */
  async #syncFolders(plan: CommitPlan): Promise<void> {
    const folders = plan.partitions.map((planned) => planned.partition.folder);
    if (this.#durable) {
      await this.#syncNames(folders);
      return;
    }
    for (const folder of folders) this.#unsyncedFolders.add(folder);
  }

  async #syncNames(folders: readonly string[]): Promise<void> {
    const missing = new Set(folders.flatMap((folder) => this.#folders.missing(folder)));
    if (missing.size === 0) return;
    await settleAll(missing, PARALLEL_PARTITIONS, (folder) => this.#options.files.syncFolder(folder));
    for (const folder of folders) this.#folders.remember(folder);
  }

  /** Returns an error of a rollback that failed. */
  async #rollback(logs: Iterable<PartitionLog>): Promise<unknown> {
    let failure: unknown;
    await settleAll(logs, PARALLEL_PARTITIONS, async (log) => {
      try {
        await log.rollback();
        this.#dirty.delete(log);
        await this.#logs.release(log);
      } catch (error) {
        if (!this.#dirty.has(log)) this.#options.onFault?.(rollbackFailed(log, error));
        this.#dirty.add(log);
        failure = error;
      }
    });
    return failure;
  }

  /** Throws if refused bytes remain: recovery checks the content of the last commit only, so no commit may follow a refused one. */
  async #rollbackLeftovers(): Promise<void> {
    if (this.#dirty.size === 0) return;
    const failure = await this.#rollback([...this.#dirty]);
    if (this.#dirty.size > 0) throw failure;
  }
}

function rollbackFailed(log: PartitionLog, cause: unknown): Fault {
  return new Fault(
    'STORE_UNAVAILABLE',
    `A refused commit could not be cut from ${log.raw.path} (${reasonOf(cause)}). Every commit tries again, and stores nothing until it succeeds; a restart before that treats the refused lines as received.`,
    { cause, retryable: true },
  );
}

/** The events of each timestamp, in order of arrival. */
function byTimestamp(
  plan: CommitPlan,
  written: ReadonlyMap<PlannedPartition, readonly CommittedEvent[]>,
): readonly (readonly CommittedEvent[])[] {
  const events: CommittedEvent[][] = Array.from({ length: plan.timestamps }, () => []);
  for (const planned of plan.partitions) {
    // One by one: flatMap is slow and would block the event loop in large commits.
    for (const event of written.get(planned) ?? []) events[planned.timestampIndex]?.push(event);
  }
  return events;
}

/** Options of a sync clock. */
interface SyncClockOptions {
  /** Syncs everything that was written without a sync. */
  readonly sync: () => Promise<void>;
  /** Milliseconds. */
  readonly intervalMs: number;
  readonly timers: Timers;
  /** Called for the first failed sync of a series; each failed one is repeated after an interval. */
  readonly onFault: (error: Error) => void;
}

/** Syncs what was written without a sync, an interval after the first of it. */
class SyncClock {
  readonly #options: SyncClockOptions;
  readonly #failures: FailureStreak;
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(options: SyncClockOptions) {
    this.#options = options;
    this.#failures = new FailureStreak(options.onFault);
  }

  /** Call it after each write. */
  written(): void {
    if (this.#isClosed) return;
    this.#cancel ??= this.#options.timers.after(this.#options.intervalMs, () => void this.#run());
  }

  /** Starts no more syncs. */
  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  async #run(): Promise<void> {
    // What is written during the sync needs another one.
    this.#cancel = undefined;
    try {
      await this.#options.sync();
      this.#failures.succeeded();
    } catch (error) {
      if (!this.#isClosed) this.#failures.failed(error);
      this.written();
    }
  }
}
