import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FingerprintedEvent } from '../../../contract/stages.js';
import { Fault } from '../../../event/fault.js';
import { makeFolderDurably } from '../../files/make-folder-durably.js';
import { reasonOf, storeClosing, storeOverloaded } from '../append-faults.js';
import { COMMIT_SLICE_BYTES, MAX_MARK_LENGTH } from '../commits/commit-record.js';
import type { CommittedEvent } from '../commits/committed-event.js';
import { PendingAppend } from './commit-plan.js';
import { GroupCommitter, type GroupCommitterOptions } from './group-committer.js';

/** How the record is written. */
export interface RecordWriterOptions extends GroupCommitterOptions {
  /**
   * Called in the order of commit, before the appends of that commit are answered, once for every `received_at`; its events are in order of
   * arrival (partition folder, line). Must not throw.
   */
  onCommitted: (events: readonly CommittedEvent[]) => void;
  /** Most bytes of raw lines that may wait or be under way, default 256 MiB. */
  maxQueuedBytes?: number;
}

const DEFAULT_MAX_QUEUED_BYTES = 256 * 1024 * 1024;

/** Opens the append side of a recovered folder. */
export async function openRecordWriter(options: RecordWriterOptions): Promise<RecordWriter> {
  await makeFolderDurably(options.files, options.directory);
  return new RecordWriter(options);
}

/**
 * The append side of the record; one per folder, under the writer lock, after `recoverRecord`. It batches by what arrived while the last commit was
 * synced: no timer, so a lone append never waits for company. Calls may overlap and share a commit; a refused batch leaves nothing behind.
 * Faults: `STORE_CLOSING`, `STORE_OVERLOADED`, `STORE_UNAVAILABLE`, `STORE_PARTITION_FULL`, `RECORD_MOVED` (retryable); `STORE_PARTITION_COLLISION`,
 * `MARK_INVALID`, `RAW_LINE_INVALID` (not retryable).
 */
export class RecordWriter {
  readonly #committer: GroupCommitter;
  readonly #onCommitted: (events: readonly CommittedEvent[]) => void;
  readonly #onFault: (fault: Fault) => void;
  readonly #maxQueuedBytes: number;
  readonly #queue: QueuedAppend[] = [];
  #queuedBytes = 0;
  /** Appends that were not answered yet. */
  #underWay = 0;
  #isCommitting = false;
  #onIdle: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: RecordWriterOptions) {
    this.#onCommitted = options.onCommitted;
    this.#onFault = options.onFault ?? (() => undefined);
    this.#maxQueuedBytes = options.maxQueuedBytes ?? DEFAULT_MAX_QUEUED_BYTES;
    this.#committer = new GroupCommitter(options);
  }

  /** Bytes of raw lines that wait or are under way. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** True when nothing waits or is under way, and nothing that was refused is still to be cut. */
  get isIdle(): boolean {
    return this.#underWay === 0 && !this.#isCommitting && !this.#committer.isDirty;
  }

  /** Brings onto the disk what was answered with `durability: os`; under `fsync` it is there already. Rejects with the system's error. */
  flush(): Promise<void> {
    return this.#committer.flush();
  }

  /** Resolves when every event is durable, in the order given. */
  async append(
    events: readonly FingerprintedEvent[],
    { batchId }: { batchId?: string } = {},
  ): Promise<readonly CommittedEvent[]> {
    if (this.#closed !== undefined) throw storeClosing();
    checkBatchId(batchId);
    if (events.length === 0) return [];
    const waiting = new PendingAppend(events, batchId);
    this.#underWay += 1;
    try {
      // A small append is encoded at once and keeps its place in the order of calls; a large one lets others have a turn.
      for (this.#encodeSome(waiting); !waiting.isEncoded; this.#encodeSome(waiting)) await nextTurn();
      return await new Promise((resolve, reject) => {
        this.#queue.push({ waiting, resolve, reject });
        if (!this.#isCommitting) void this.#commitQueue();
      });
    } finally {
      this.#queuedBytes -= waiting.bytes;
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#onIdle?.();
    }
  }

  /** Lets running appends finish, is safe twice and leaves no file open. */
  close(): Promise<void> {
    this.#closed ??= this.#drain();
    return this.#closed;
  }

  #encodeSome(waiting: PendingAppend): void {
    const before = waiting.bytes;
    try {
      waiting.encodeSome();
    } finally {
      this.#queuedBytes += waiting.bytes - before;
    }
    // One append by itself is always taken: its size is bounded where it came in, and refusing it would be for ever.
    const isAlone = this.#queuedBytes === waiting.bytes;
    if (this.#queuedBytes > this.#maxQueuedBytes && !isAlone) throw storeOverloaded(this.#maxQueuedBytes);
  }

  async #commitQueue(): Promise<void> {
    this.#isCommitting = true;
    while (this.#queue.length > 0) await this.#commit(takeGroup(this.#queue));
    this.#isCommitting = false;
  }

  async #commit(group: readonly QueuedAppend[]): Promise<void> {
    try {
      const commits = await this.#committer.commit(group.map(({ waiting }) => waiting));
      for (const events of commits) this.#announce(events);
      for (const { waiting, resolve } of group) resolve(waiting.committed);
    } catch (error) {
      if (group.length > 1 && isAboutOneAppend(error)) {
        for (const one of group) await this.#commit([one]);
      } else {
        for (const { reject } of group) reject(error);
      }
    }
  }

  #announce(events: readonly CommittedEvent[]): void {
    try {
      this.#onCommitted(events);
    } catch (error) {
      // The events are durable, so their senders are answered; the index has to be replayed.
      this.#onFault(
        new Fault(
          'STORE_LISTENER_FAILED',
          `Stored events could not be taken into the index: ${reasonOf(error)}. Restart to replay them.`,
          { cause: error },
        ),
      );
    }
  }

  async #drain(): Promise<void> {
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    await this.#committer.close();
  }
}

function isAboutOneAppend(error: unknown): boolean {
  return error instanceof Fault && ['STORE_PARTITION_FULL', 'STORE_PARTITION_COLLISION'].includes(error.code);
}

/** Throws `MARK_INVALID` for a batch id that is empty or too long. */
function checkBatchId(batchId: string | undefined): void {
  if (batchId === undefined || (batchId.length > 0 && batchId.length <= MAX_MARK_LENGTH)) return;
  throw new Fault('MARK_INVALID', `A batch id has 1 to ${MAX_MARK_LENGTH} characters, this one has ${batchId.length}.`);
}

/** An encoded append that waits for its commit, and how it is answered. */
interface QueuedAppend {
  readonly waiting: PendingAppend;
  readonly resolve: (committed: readonly CommittedEvent[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A commit takes in further appends up to here; a longer one is committed alone. */
const GROUP_EVENTS = 1000;
const GROUP_BYTES = COMMIT_SLICE_BYTES;

/** Removes the next group from the front of the queue: whole appends only, at least one. */
function takeGroup(queue: QueuedAppend[]): QueuedAppend[] {
  let events = 0;
  let bytes = 0;
  const end = queue.findIndex(({ waiting }) => {
    events += waiting.events.length;
    bytes += waiting.bytes;
    return events > GROUP_EVENTS || bytes > GROUP_BYTES;
  });
  return queue.splice(0, end < 0 ? queue.length : Math.max(1, end));
}
