import { resolve } from 'node:path';
import { Fault } from '../event/fault.js';
import type { IssueId } from '../event/ids.js';
import type { RawPayload } from '../event/raw-payload.js';
import type { FingerprintedEvent, StoredEvent } from '../event/stages.js';
import type { Fingerprint } from '../fingerprint/fingerprint.js';
import { issueIdOf } from '../issues/issue-id.js';
import type { FailureReader } from '../reader.js';
import { type Closable, closeAll } from './close-all.js';
import type { CommittedEvent } from './committed-event.js';
import { nodeFiles } from './files/node-files.js';
import type { StoreFiles } from './files/store-files.js';
import { type IssueIndex, openIssueIndex } from './index/issue-index.js';
import type { ReplayProgress } from './index/replay-record.js';
import { IssueActions } from './issue-actions.js';
import { type ActionLog, openActionLog } from './record/action-log.js';
import type { ActionRecord, NewAction } from './record/action-record.js';
import { reasonOf } from './record/append-faults.js';
import { createArrivalClock } from './record/clock.js';
import { type FoundMark, openRecordReader, type RecordReader } from './record/record-reader.js';
import { openRecordWriter, type RecordWriter } from './record/record-writer.js';
import { RECOVERED_MARK } from './record/recovered-mark.js';
import { recoverRecord } from './record/recovery.js';
import { openWriterLock, type WriterLock } from './record/writer-lock.js';
import { createRecordMeter } from './record-size.js';
import { DEFAULT_REJECTED_BOUNDS, type RejectedBounds } from './rejected/rejected-bounds.js';
import { openRejectedLog, type RejectedLog } from './rejected/rejected-log.js';
import { createRejectedMeter } from './rejected/rejected-meter.js';
import type { RejectedPayload } from './rejected/rejected-payload.js';
import { type RetentionBounds, UNBOUNDED } from './retention/choose-removal.js';
import { openRetentionLedger } from './retention/open-ledger.js';
import { recoverAfter } from './retention/recover-after.js';
import { Retainer } from './retention/retainer.js';
import type { RetentionLedger } from './retention/retention-ledger.js';
import { createStoreReader } from './store-reader.js';
import { takeAction } from './take-action.js';

/** How the store is opened; written by code, not by operators. */
export interface EventStoreOptions {
  /** The data folder; made when absent. */
  directory: string;
  /** `fsync` (default): answered means on the disk. `os`: answered means handed to the operating system. */
  durability?: 'fsync' | 'os';
  /** Groups a raw payload again when the record is replayed; must be the function that grouped it on arrival. */
  fingerprint: (payload: RawPayload) => Fingerprint;
  /** Module that exports the same function as `computeFingerprint`, so that a long replay groups on further threads; default: on this one alone. */
  fingerprintModule?: URL;
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
  /** The disk, default the one of this machine; handed in so that tests can make every step fail. */
  files?: StoreFiles;
  /** Called while the record is replayed into the index. */
  onProgress?: (progress: ReplayProgress) => void;
  /**
   * Called once for every fault that no caller is waiting for: a checkpoint or a removal that failed, damage in the record, lines that recovery
   * mended, partitions that were put back into hours that retention removed.
   */
  onFault?: (fault: Error) => void;
}

/** What a sender may add to a batch. */
export interface AppendOptions {
  /** Names the batch in its commit records, so that a sender who was interrupted finds out what is stored (`findMarks`). 1 to 200 characters. */
  mark?: string;
}

/**
 * The one writer of a data folder.
 * `append` answers when every event of the batch is durable, over however many partitions; a batch is refused whole with a retryable
 * Fault (`STORE_CLOSING`, `STORE_OVERLOADED`, `STORE_UNAVAILABLE`, `STORE_PARTITION_FULL`), and then none of it stays in the record. Calls may run at
 * the same time and share a commit. After an answer the reader sees the events.
 * `close` is idempotent: it lets running appends finish, checkpoints, and gives the lock back.
 */
export interface EventStore {
  append(events: readonly FingerprintedEvent[], options?: AppendOptions): Promise<readonly StoredEvent[]>;
  /** Keeps payloads that a receiver rejected, bounded; see `RejectedLog.keep`. Never fails and is never waited for longer than 200 ms. */
  reject(receiver: string, rejected: readonly RejectedPayload[]): Promise<void>;
  /** Writes down what somebody did to an issue; durable when it answers. */
  act(action: NewAction): Promise<ActionRecord>;
  /** Over this store in this process; closing it leaves the store open. */
  readonly reader: FailureReader;
  /** Marks that begin with a text, one item for each commit record that carries one. */
  findMarks(prefix: string): AsyncIterable<FoundMark>;
  /** Raw lines that a crash left without an answer to their sender and that recovery kept. */
  recoveredLines(): AsyncIterable<Buffer>;
  /** Brings the index on disk up to the last commit. */
  checkpoint(): Promise<void>;
  /** Removes all that retention finds due now; rejects when that fails, and then it is tried again at the next look. Appends go on meanwhile. */
  retain(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a data folder for writing. Faults: `STORE_LOCKED` (names the holder), `STORE_UNAVAILABLE`. */
export async function openEventStore(options: EventStoreOptions): Promise<EventStore> {
  const directory = resolve(options.directory);
  const files = options.files ?? nodeFiles;
  const lock = await openWriterLock({ directory, files });
  const opened: Closable[] = [lock];
  try {
    const parts = await openParts({ ...options, directory, files }, opened);
    return new OpenEventStore({ ...parts, lock });
  } catch (error) {
    // What closing says besides is less than why it did not open.
    await closeAll(opened.reverse());
    throw error instanceof Fault ? error : notOpened(directory, error);
  }
}

function notOpened(directory: string, cause: unknown): Fault {
  const sentence = `The store in ${directory} could not be opened: ${reasonOf(cause)}. The folder must be whole, writable and have room.`;
  return new Fault('STORE_UNAVAILABLE', sentence, { cause, retryable: true });
}

interface StoreParts {
  readonly directory: string;
  readonly record: RecordReader;
  readonly index: IssueIndex;
  readonly actionLog: ActionLog;
  readonly actions: IssueActions;
  readonly writer: RecordWriter;
  readonly rejected: RejectedLog;
  readonly reader: FailureReader;
  readonly ledger: RetentionLedger;
  readonly retainer: Retainer;
}

const RETENTION_INTERVAL_MS = 60_000;

/** Recovery first, then the index over the recovered record, then the writer above both; each one that is open is listed for the way back. */
async function openParts(
  options: EventStoreOptions & { directory: string; files: StoreFiles },
  opened: Closable[],
): Promise<StoreParts> {
  const { directory, files, fingerprint, onFault, nowMs = Date.now } = options;
  const reported = onFault === undefined ? {} : { onFault };
  const clock = createArrivalClock({ nowMs });
  const record = await openRecordReader({ directory, files });
  opened.push(record);
  const ledger = await openRetentionLedger({ directory, files, onFault });
  opened.push(ledger);
  // Also where nothing is left of it: what is gone was received before what comes.
  clock.holdAbove(ledger.totals.beforeMicros - 1);
  let writer: RecordWriter | undefined;
  const index = await openIssueIndex({
    directory,
    files,
    record,
    history: ledger.history,
    fingerprint,
    fingerprintModule: options.fingerprintModule,
    signal: options.signal,
    checkpointIntervalMs: options.checkpointIntervalMs,
    // Otherwise the index would count, under `os`, what a loss of power then takes from the record.
    beforeManifest: async () => writer?.flush(),
    beforeReplay: async (cursorMicros) => {
      const afterMicros = await recoverAfter(files, directory, cursorMicros);
      const { lastReceivedAtMicros } = await recoverRecord({ directory, files, afterMicros, ...reported });
      clock.holdAbove(lastReceivedAtMicros);
    },
    onProgress: options.onProgress,
    onFault,
  });
  opened.push(index);
  const actionLog = await openActionLog({ directory, files, clock, ...reported });
  opened.push(actionLog);
  const actions = new IssueActions();
  for (const action of actionLog.actionsAtOpen) takeAction(actions, action);
  const durability = options.durability ?? 'fsync';
  const onCommitted = (events: readonly CommittedEvent[]): void => index.apply(events);
  writer = await openRecordWriter({ directory, files, clock, durability, onCommitted, ...reported });
  opened.push(writer);
  const bounds = options.rejected ?? DEFAULT_REJECTED_BOUNDS;
  const rejected = await openRejectedLog({ directory, files, bounds, nowMs, onFault });
  opened.push(rejected);
  const deadLetters = createRejectedMeter({ directory, files, writer: rejected });
  const removedBeforeMicros = (): number => ledger.totals.beforeMicros;
  const recordSize = createRecordMeter({ directory, files, record, nowMs, removedBeforeMicros });
  const reader = createStoreReader({
    directory,
    index,
    record,
    actions,
    fingerprint,
    recordSize,
    deadLetters,
    nowMs,
    onFault,
  });
  const retainer = new Retainer({
    directory,
    files,
    ledger,
    index,
    clock,
    isWriterIdle: () => writer.isIdle,
    bounds: options.retention ?? UNBOUNDED,
    intervalMs: options.retentionIntervalMs ?? RETENTION_INTERVAL_MS,
    nowMs,
    onFault: onFault ?? (() => undefined),
  });
  return { directory, record, index, actionLog, actions, writer, rejected, reader, ledger, retainer };
}

class OpenEventStore implements EventStore {
  readonly #parts: StoreParts & { readonly lock: WriterLock };
  #closed: Promise<void> | undefined;

  constructor(parts: StoreParts & { readonly lock: WriterLock }) {
    this.#parts = parts;
  }

  get reader(): FailureReader {
    return this.#parts.reader;
  }

  async append(events: readonly FingerprintedEvent[], options?: AppendOptions): Promise<readonly StoredEvent[]> {
    const committed = await this.#parts.writer.append(events, options);
    return committed.map((one) => this.#stored(one));
  }

  reject(receiver: string, rejected: readonly RejectedPayload[]): Promise<void> {
    return this.#parts.rejected.keep(receiver, rejected);
  }

  async act(action: NewAction): Promise<ActionRecord> {
    const { actionLog, actions } = this.#parts;
    const record = await actionLog.append(action);
    takeAction(actions, record);
    return record;
  }

  findMarks(prefix: string): AsyncIterable<FoundMark> {
    return this.#parts.record.findMarks(prefix);
  }

  async *recoveredLines(): AsyncIterable<Buffer> {
    const { record } = this.#parts;
    for await (const { partition, firstLine, lines } of record.findMarks(RECOVERED_MARK)) {
      for (let place = firstLine; place < firstLine + lines; place += 1) {
        const bytes = await record.readLine(partition, place);
        if (bytes !== undefined) yield bytes;
      }
    }
  }

  checkpoint(): Promise<void> {
    return this.#parts.index.checkpoint();
  }

  retain(): Promise<void> {
    return this.#parts.retainer.retain();
  }

  close(): Promise<void> {
    this.#closed ??= this.#closeParts();
    return this.#closed;
  }

  async #closeParts(): Promise<void> {
    const { writer, rejected, actionLog, index, reader, record, lock, ledger, retainer } = this.#parts;
    // The lock is given back whatever the others say: a folder must not stay locked by a store that is gone.
    const errors = await closeAll([retainer, rejected, writer, actionLog, index, ledger, reader, record, lock]);
    if (errors.length > 0) throw errors[0];
  }

  #stored({ eventId, event, partition, line }: CommittedEvent): StoredEvent {
    const path = `${this.#parts.directory}/${partition.folder}/raw.ndjson`;
    return {
      event_id: eventId,
      issue_id: this.#issueOf(event),
      fingerprint: event.fingerprint.value,
      raw: { path, line },
    };
  }

  /** From the index, which computed the id once for each issue. */
  #issueOf({ payload: { app, service }, fingerprint }: FingerprintedEvent): IssueId {
    const known = this.#parts.index.content.issues.find(app, service, fingerprint.value);
    return known?.issueId ?? issueIdOf({ app, service, fingerprint: fingerprint.value });
  }
}
