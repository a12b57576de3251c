import { Fault } from '../../../event/fault.js';
import type { DataFolder } from '../../files/store-files.js';
import { RecordMoved, reasonOf, storeUnavailable } from '../append-faults.js';
import { MAX_COMMIT_INSTANTS } from '../commits/commit-record.js';
import type { CommittedEvent } from '../commits/committed-event.js';
import { settleAll } from '../io/settle-all.js';
import { type ArrivalClock, hourOfMicros } from '../partitions/arrival-clock.js';
import { MAX_PARTITION_LINES } from '../partitions/event-id.js';
import {
  type CommitPlan,
  createPartitionCache,
  type PartitionCache,
  type PendingAppend,
  type PlannedPartition,
  planCommit,
} from './commit-plan.js';
import {
  createDurableFolders,
  type DurableFolders,
  openPartitionLog,
  type PartitionLog,
  PartitionLogs,
} from './partition-log.js';
import { JoinBuffers, writePartition } from './write-partition.js';

/** Partitions of one commit that are written at the same time; of a long one fewer, because their slices are joined in one turn of the loop. */
const PARALLEL_PARTITIONS = 16;
const PARALLEL_IN_LONG_COMMIT = 2;

const MAX_OPEN_PARTITIONS = 64;

/** How commits are made. */
export interface GroupCommitterOptions extends DataFolder {
  /** The clock of the folder, above everything that recovery found. */
  clock: ArrivalClock;
  /** `fsync` (default): answered means on the disk. `os`: answered means handed to the operating system. */
  durability?: 'fsync' | 'os';
  /** Asked before a commit counts: rejects where the folder at the path is not the writer's any more. Default: it always is. */
  holdsFolder?: () => Promise<void>;
  /** Called for `RECORD_MOVED`, and for faults that no caller waits for, such as a refused commit that could not be taken back yet. */
  onFault?: (fault: Fault) => void;
  /** Most partitions whose files stay open between commits, default 64. */
  maxOpenPartitions?: number;
  /** Most lines of one partition, default 2^30: what an event id can hold. */
  maxPartitionLines?: number;
}

/** Makes some appends durable together, over however many partitions, or takes all of them back. One commit at a time. */
export class GroupCommitter {
  readonly #options: GroupCommitterOptions;
  readonly #durable: boolean;
  readonly #logs: PartitionLogs;
  readonly #folders: DurableFolders;
  readonly #buffers = new JoinBuffers();
  readonly #partitionFor: PartitionCache = createPartitionCache();
  /** Partitions in which something refused may still lie, because taking it back failed. */
  readonly #dirty = new Set<PartitionLog>();
  /** Folders of partitions whose names nobody synced yet, because nobody asked for it. */
  readonly #unsyncedFolders = new Set<string>();

  constructor(options: GroupCommitterOptions) {
    const { directory, files, maxOpenPartitions: maxOpen = MAX_OPEN_PARTITIONS } = options;
    const durable = options.durability !== 'os';
    this.#options = options;
    this.#durable = durable;
    this.#folders = createDurableFolders(directory);
    this.#logs = new PartitionLogs({
      open: (partition) => openPartitionLog(files, directory, partition, { durable }),
      maxOpen,
    });
  }

  /** True while something that was refused is still to be cut. */
  get isDirty(): boolean {
    return this.#dirty.size > 0;
  }

  /** Syncs what was written without it, and the names of its folders. */
  async flush(): Promise<void> {
    if (this.#durable) return;
    const unsynced = [...this.#unsyncedFolders];
    await this.#logs.flush();
    await this.#syncNames(unsynced);
    for (const folder of unsynced) this.#unsyncedFolders.delete(folder);
  }

  /** Answers the events of each `received_at` in order of arrival, and fills `committed` of each append. Throws a Fault when nothing was kept. */
  async commit(appends: readonly PendingAppend[]): Promise<readonly (readonly CommittedEvent[])[]> {
    const { plan, firstMicros } = await this.#plan(appends);
    const logs = new Map<PlannedPartition, PartitionLog>();
    const written = new Map<PlannedPartition, CommittedEvent[]>();
    try {
      await this.#takeBackLeftovers();
      await this.#logs.forget(hourOfMicros(firstMicros));
      await settleAll(plan.partitions, PARALLEL_PARTITIONS, async (planned) => {
        const log = await this.#logs.acquire(planned.partition);
        logs.set(planned, log);
        this.#refuseWhenFull(log, planned);
      });
      const isLong = plan.partitions.some(({ slices }) => slices.length > 1);
      await settleAll(logs, isLong ? PARALLEL_IN_LONG_COMMIT : PARALLEL_PARTITIONS, async ([planned, log]) => {
        written.set(planned, await writePartition(log, planned, firstMicros + planned.instant, this.#buffers));
        await this.#logs.release(log);
      });
      await this.#syncFolders(plan);
      await this.#options.holdsFolder?.();
      // All of them at the very end: nobody is answered for what was pulled away while others were synced.
      for (const log of logs.values()) await log.check();
    } catch (error) {
      if (error instanceof RecordMoved) this.#options.onFault?.(error);
      await this.#takeBack(logs.values());
      throw storeUnavailable(error);
    }
    for (const [planned, log] of logs) log.accept(planned.lines);
    return byInstant(plan, written);
  }

  /** Takes back what is still to be taken back and closes all files. */
  async close(): Promise<void> {
    await this.#takeBackLeftovers();
    await this.#logs.closeAll();
  }

  async #plan(appends: readonly PendingAppend[]): Promise<{ plan: CommitPlan; firstMicros: number }> {
    for (let instants = 1; ; ) {
      const firstMicros = this.#options.clock.nextRun(instants);
      const plan = await planCommit(appends, hourOfMicros(firstMicros), this.#partitionFor);
      if (plan.instants <= instants) return { plan, firstMicros };
      instants = plan.instants;
      if (instants > MAX_COMMIT_INSTANTS) {
        throw new Fault(
          'STORE_PARTITION_COLLISION',
          `More than ${MAX_COMMIT_INSTANTS} of the batch's environments, services and apps have the same hash in this hour. Send them in smaller batches.`,
        );
      }
    }
  }

  #refuseWhenFull(log: PartitionLog, planned: PlannedPartition): void {
    const { maxPartitionLines: most = MAX_PARTITION_LINES } = this.#options;
    if (log.lines + planned.lines <= most) return;
    throw new Fault(
      'STORE_PARTITION_FULL',
      `${log.raw.path} holds ${log.lines} lines and may hold ${most}. Send the batch again in the next hour.`,
      { retryable: true },
    );
  }

  /** Before the answer, the names of new folders and files must be as durable as what is in them. */
  async #syncFolders(plan: CommitPlan): Promise<void> {
    const folders = plan.partitions.map((planned) => planned.partition.folder);
    if (this.#durable) await this.#syncNames(folders);
    else for (const folder of folders) this.#unsyncedFolders.add(folder);
  }

  async #syncNames(folders: readonly string[]): Promise<void> {
    const missing = new Set(folders.flatMap((folder) => this.#folders.missing(folder)));
    if (missing.size === 0) return;
    await settleAll(missing, PARALLEL_PARTITIONS, (folder) => this.#options.files.syncFolder(folder));
    for (const folder of folders) this.#folders.remember(folder);
  }

  async #takeBack(logs: Iterable<PartitionLog>): Promise<void> {
    await settleAll(logs, PARALLEL_PARTITIONS, async (log) => {
      try {
        await log.revert();
        this.#dirty.delete(log);
        await this.#logs.release(log);
      } catch (error) {
        this.#keepDirty(log, error);
      }
    });
  }

  async #takeBackLeftovers(): Promise<void> {
    if (this.#dirty.size > 0) await this.#takeBack([...this.#dirty]);
  }

  #keepDirty(log: PartitionLog, error: unknown): void {
    const isNew = !this.#dirty.has(log);
    this.#dirty.add(log);
    if (isNew) this.#options.onFault?.(leftover(log, error));
  }
}

function leftover(log: PartitionLog, cause: unknown): Fault {
  return new Fault(
    'STORE_UNAVAILABLE',
    `A refused commit could not be cut from ${log.raw.path} (${reasonOf(cause)}). It is tried again before every commit; a restart before that would take the refused lines as received.`,
    { cause, retryable: true },
  );
}

/** The events of each instant, in order of arrival. */
function byInstant(
  plan: CommitPlan,
  written: ReadonlyMap<PlannedPartition, readonly CommittedEvent[]>,
): readonly (readonly CommittedEvent[])[] {
  const instants: CommittedEvent[][] = Array.from({ length: plan.instants }, () => []);
  for (const planned of plan.partitions) {
    // One by one: flatMap takes 20 ms for 60,000 events, and nobody has a turn meanwhile.
    for (const event of written.get(planned) ?? []) instants[planned.instant]?.push(event);
  }
  return instants;
}
