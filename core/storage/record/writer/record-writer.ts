import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FingerprintedEvent, SenderOrigin } from '../../../contract/stages.js';
import { Fault } from '../../../event/fault.js';
import { beginTimeSlice } from '../../../time-slice.js';
import { makeFolderDurably } from '../../files/write-durably.js';
import { reasonOf, storeClosing, storeOverloaded } from '../append-faults.js';
import { MAX_BATCH_ID_LENGTH, MAX_COMMIT_RAW_BYTES } from '../commits/commit-record.js';
import type { CommittedEvent } from '../commits/committed-event.js';
import { PendingAppend } from './commit-plan.js';
import { GroupCommitter, type GroupCommitterOptions } from './group-committer.js';

/** Options of the record writer. */
export interface RecordWriterOptions extends GroupCommitterOptions {
  /**
   * Called in commit order, before the appends of the commit resolve, once for every `received_at`; its events are in order of
   * arrival (partition folder, line). Must not throw.
   */
  onCommitted: (events: readonly CommittedEvent[]) => void;
  /** Most bytes of raw lines that may be queued or in flight, default 256 MiB. */
  maxQueuedBytes?: number;
}

const DEFAULT_MAX_QUEUED_BYTES = 256 * 1024 * 1024;

/** Opens a recovered folder for appending. */
export async function openRecordWriter(options: RecordWriterOptions): Promise<RecordWriter> {
  await makeFolderDurably(options.files, options.directory);
  return new RecordWriter(options);
}

/**
 * Appends to the record; one per folder, under the writer lock, after `recoverRecord`. A commit takes what arrived during the sync of the last
 * one, without a timer, so a lone append does not wait. Calls may overlap and share a commit; a refused batch leaves nothing behind.
 * Faults: `STORE_CLOSING`, `STORE_OVERLOADED`, `STORE_UNAVAILABLE`, `STORE_PARTITION_FULL`, `RECORD_MOVED` (retryable); `STORE_PARTITION_COLLISION`,
 * `MARK_INVALID`, `RAW_LINE_INVALID` (not retryable).
 */
export class RecordWriter {
  readonly #committer: GroupCommitter;
  readonly #onCommitted: (events: readonly CommittedEvent[]) => void;
  readonly #onFault: (fault: Fault) => void;
  readonly #maxQueuedBytes: number;
  readonly #queue: QueuedAppend[] = [];
  /** Bytes of raw lines that are queued or in flight. */
  queuedBytes = 0;
  /** Appends that did not resolve yet. */
  #inFlight = 0;
  #isCommitting = false;
  #onIdle: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: RecordWriterOptions) {
    this.#onCommitted = options.onCommitted;
    this.#onFault = options.onFault ?? (() => undefined);
    this.#maxQueuedBytes = options.maxQueuedBytes ?? DEFAULT_MAX_QUEUED_BYTES;
    this.#committer = new GroupCommitter(options);
  }

  /** True when nothing is queued or in flight, and no refused bytes are still to be cut. */
  get isIdle(): boolean {
    return this.#inFlight === 0 && !this.#isCommitting && !this.#committer.isDirty;
  }

  /** Syncs what was committed with `durability: os`; does nothing under `fsync`. Rejects with the system's error. */
  flush(): Promise<void> {
    return this.#committer.flush();
  }

  /** Resolves when every event is durable, in the order given. */
  async append(
    events: readonly FingerprintedEvent[],
    { batchId, origin }: { batchId?: string; origin?: SenderOrigin | undefined } = {},
  ): Promise<readonly CommittedEvent[]> {
    if (this.#closed !== undefined) throw storeClosing();
    checkBatchId(batchId);
    if (events.length === 0) return [];
    const pending = new PendingAppend(events, batchId, origin);
    this.#inFlight += 1;
    try {
      // A small append is encoded at once and keeps the order of calls; a large one yields to the event loop.
      for (this.#encodeSome(pending); !pending.isEncoded; this.#encodeSome(pending)) await nextTurn();
      return await new Promise((resolve, reject) => {
        this.#queue.push({ pending, resolve, reject });
        if (!this.#isCommitting) void this.#commitQueue();
      });
    } finally {
      this.queuedBytes -= pending.bytes;
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#onIdle?.();
    }
  }

  /** Waits for running appends and closes all files; idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#drain();
    return this.#closed;
  }

  #encodeSome(pending: PendingAppend): void {
    const before = pending.bytes;
    try {
      pending.encodeSome();
    } finally {
      this.queuedBytes += pending.bytes - before;
    }
    // A single append is always accepted: its receiver bounds its size, and a retry would fail forever.
    const isAlone = this.queuedBytes === pending.bytes;
    if (this.queuedBytes > this.#maxQueuedBytes && !isAlone) throw storeOverloaded(this.#maxQueuedBytes);
  }

  async #commitQueue(): Promise<void> {
    this.#isCommitting = true;
    while (this.#queue.length > 0) await this.#commit(dequeueGroup(this.#queue));
    this.#isCommitting = false;
  }

  async #commit(group: readonly QueuedAppend[]): Promise<void> {
    try {
      const commits = await this.#committer.commit(group.map(({ pending }) => pending));
      const slice = beginTimeSlice();
      for (const events of commits) {
        this.#notify(events);
        if (slice.isOver) await slice.next();
      }
      await resolveAll(group);
    } catch (error) {
      if (group.length > 1 && isAboutOneAppend(error)) {
        for (const append of group) await this.#commit([append]);
      } else {
        for (const { reject } of group) reject(error);
      }
    }
  }

  #notify(events: readonly CommittedEvent[]): void {
    try {
      this.#onCommitted(events);
    } catch (error) {
      // The events are durable, so their appends resolve; the index needs a replay.
      this.#onFault(
        new Fault(
          'STORE_LISTENER_FAILED',
          `Stored events could not be added to the index: ${reasonOf(error)}. Restart to replay them.`,
          { cause: error },
        ),
      );
    }
  }

  async #drain(): Promise<void> {
    if (this.#inFlight > 0) {
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
  if (batchId === undefined || (batchId.length > 0 && batchId.length <= MAX_BATCH_ID_LENGTH)) return;
  throw new Fault(
    'MARK_INVALID',
    `A batch id has 1 to ${MAX_BATCH_ID_LENGTH} characters, this one has ${batchId.length}.`,
  );
}

/** An encoded append that waits for its commit. */
interface QueuedAppend {
  readonly pending: PendingAppend;
  readonly resolve: (committed: readonly CommittedEvent[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A commit may hold 1,000 lone events, and each answers its sender when it resolves. */
const RESOLVED_PER_TURN = 100;

async function resolveAll(group: readonly QueuedAppend[]): Promise<void> {
  for (const [index, { pending, resolve }] of group.entries()) {
    if (index > 0 && index % RESOLVED_PER_TURN === 0) await nextTurn();
    resolve(pending.committed);
  }
}

/** Bounds of a group commit; a longer append is committed alone. */
const GROUP_EVENTS = 1000;
const GROUP_BYTES = MAX_COMMIT_RAW_BYTES;

/** Removes the next group from the front of the queue: whole appends only, at least one. */
function dequeueGroup(queue: QueuedAppend[]): QueuedAppend[] {
  let events = 0;
  let bytes = 0;
  const end = queue.findIndex(({ pending }) => {
    events += pending.events.length;
    bytes += pending.bytes;
    return events > GROUP_EVENTS || bytes > GROUP_BYTES;
  });
  return queue.splice(0, end < 0 ? queue.length : Math.max(1, end));
}
