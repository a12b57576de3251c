import { join, resolve } from 'node:path';
import type { ActionRequest, IssueDetail } from '../../generated/reader-answers.js';
import type {
  ChangeOptions,
  ChangePosition,
  FailureActions,
  FailureChanges,
  FailureReader,
  IssueChange,
} from '../contract/reader.js';
import type { FingerprintedEvent, StoredEvent } from '../contract/stages.js';
import { Fault } from '../event/fault.js';
import type { IssueId } from '../event/ids.js';
import type { Grouper } from '../fingerprint/grouper.js';
import { issueIdOf } from '../issues/issue-id.js';
import { type Closable, closeAll } from './close-all.js';
import type { RejectedPayload } from './dead-letters/rejected-payload.js';
import type { EventStoreOptions } from './event-store-options.js';
import { nodeFiles } from './files/node-files.js';
import { removeTree } from './files/remove-tree.js';
import type { StoreFiles } from './files/store-files.js';
import type { FollowOptions, RecordFollower } from './following/record-follower.js';
import type { StoreNote } from './following/store-note.js';
import { indexFolder } from './index/documents/index-folder.js';
import { LOCK_FILE, openWriterLock, type WriterLock } from './lock/writer-lock.js';
import { openStoreParts, type StoreParts } from './open-store.js';
import { RecordMoved, reasonOf } from './record/append-faults.js';
import { RECOVERED_MARK } from './record/commits/commit-record.js';
import type { CommittedEvent } from './record/commits/committed-event.js';
import type { FoundBatch } from './record/commits/find-marks.js';
import { RAW_FOLDER } from './record/partitions/partition-path.js';
import { groupAgain } from './regroup/group-again.js';
import type { Regroup } from './regroup/regroup.js';
import { StoreFence } from './store-fence.js';

/** What a sender may add to a batch. */
export interface AppendOptions {
  /** Names the batch in its commit records, so that a sender who was interrupted finds out what is stored (`findMarks`). 1 to 200 characters. */
  batchId?: string;
  /** Key of the grouper that grouped the batch: where another one groups by now, the store groups it again. Default: it is taken as it is. */
  groupedBy?: string;
}

/**
 * The one writer of a data folder.
 * `append` answers when every event of the batch is durable, over however many partitions; a batch is refused whole with a retryable
 * Fault (`STORE_CLOSING`, `STORE_OVERLOADED`, `STORE_UNAVAILABLE`, `STORE_PARTITION_FULL`, `RECORD_MOVED`), and then none of it stays in the record. Calls may run at
 * the same time and share a commit. After an answer the reader sees the events.
 * Where its files are moved, removed or changed under it, it takes nothing more and `onLost` is called: it looks at each append, and every second.
 * `close` is idempotent: it lets running appends finish, checkpoints (unless the store is lost), and gives the lock back.
 */
export interface EventStore extends FailureActions, FailureChanges {
  append(events: readonly FingerprintedEvent[], options?: AppendOptions): Promise<readonly StoredEvent[]>;
  /** Keeps payloads that a receiver rejected, bounded; see `RejectedLog.keep`. Never fails and is never waited for longer than 200 ms. */
  reject(receiver: string, rejected: readonly RejectedPayload[]): Promise<void>;
  /** Groups new events; another one after a regrouping. */
  readonly grouper: Grouper;
  readonly regroup: Regroup;
  /** Over this store in this process; closing it leaves the store open. */
  readonly reader: FailureReader;
  /** Marks that begin with a text, one item for each commit record that carries one. */
  findMarks(prefix: string): AsyncIterable<FoundBatch>;
  /** The raw lines of a mark whose commit record carries no other; what retention removed meanwhile is not there. */
  linesOf(found: FoundBatch): AsyncIterable<Buffer>;
  /** Raw lines that a crash left without an answer to their sender and that recovery kept. */
  recoveredLines(): AsyncIterable<Buffer>;
  /**
   * Gives what arrives, and what is there since that name's cursor, in order of arrival. Closing the store ends it.
   * Faults: `FOLLOWER_EXISTS`, `INDEX_UNUSABLE`; rejects with the system's error where the cursor cannot be read or kept.
   */
  follow(options: FollowOptions): Promise<RecordFollower>;
  /** A small document in the folder, for those who follow what changes; one at a time has a name. */
  note(name: string): StoreNote;
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
  const lock = await openWriterLock({ directory, files, onFault: options.onFault });
  const opened: Closable[] = [lock];
  try {
    const lockIdentity = (await files.stat(join(directory, LOCK_FILE)))?.identity;
    // While it opens, what rejects says so.
    let store: OpenEventStore | undefined;
    const onLost = (moved: RecordMoved): void => store && (options.onLost ?? options.onFault)?.(moved);
    const fence = new StoreFence({ directory, files, lockIdentity, onLost });
    opened.push(fence);
    const onFault = (fault: Error): void => {
      if (fault instanceof RecordMoved) fence.lose(fault);
      else if (fence.lost === undefined) options.onFault?.(fault);
    };
    const holdsFolder = (): Promise<void> => fence.check();
    const how = { ...options, directory, files: fence.files, onFault, holdsFolder };
    const parts = await openStoreParts(how, opened);
    await fence.check();
    store = new OpenEventStore({ ...parts, lock, fence, files });
    return store;
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

interface OpenParts extends StoreParts {
  readonly lock: WriterLock;
  readonly fence: StoreFence;
  /** Without the fence. */
  readonly files: StoreFiles;
}

class OpenEventStore implements EventStore {
  readonly #parts: OpenParts;
  #closed: Promise<void> | undefined;

  constructor(parts: OpenParts) {
    this.#parts = parts;
  }

  get reader(): FailureReader {
    return this.#parts.reader;
  }

  get grouper(): Grouper {
    return this.#parts.groupings.grouper;
  }

  get regroup(): Regroup {
    return this.#parts.regrouper;
  }

  async append(
    events: readonly FingerprintedEvent[],
    { groupedBy, ...options }: AppendOptions = {},
  ): Promise<readonly StoredEvent[]> {
    const { gate, writer } = this.#parts;
    const committed = await gate.pass(async () => {
      const isOutdated = groupedBy !== undefined && groupedBy !== this.grouper.key;
      return await writer.append(isOutdated ? await groupAgain(events, this.grouper) : events, options);
    });
    return committed.map((one) => this.#stored(one));
  }

  reject(receiver: string, rejected: readonly RejectedPayload[]): Promise<void> {
    return this.#parts.rejected.keep(receiver, rejected);
  }

  act(issueId: IssueId, request: ActionRequest): Promise<IssueDetail> {
    return this.#parts.acting.act(issueId, request);
  }

  changes(options?: ChangeOptions): AsyncIterable<IssueChange | ChangePosition> {
    return this.#parts.changes.changes(options);
  }

  findMarks(prefix: string): AsyncIterable<FoundBatch> {
    return this.#parts.record.findMarks(prefix);
  }

  async *linesOf({ partition, firstLine, lines }: FoundBatch): AsyncIterable<Buffer> {
    for (let place = firstLine; place < firstLine + lines; place += 1) {
      const bytes = await this.#parts.record.readLine(partition, place);
      if (bytes !== undefined) yield bytes;
    }
  }

  async *recoveredLines(): AsyncIterable<Buffer> {
    for await (const found of this.findMarks(RECOVERED_MARK)) yield* this.linesOf(found);
  }

  follow(options: FollowOptions): Promise<RecordFollower> {
    return this.#parts.following.follow(options);
  }

  note(name: string): StoreNote {
    return this.#parts.following.note(name);
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
    const { writer, rejected, acting, rateSnoozes, actionLog, index, reader, record, lock, ledger, retainer } =
      this.#parts;
    const { ages, changes, regrouper, groupingLog, following, fence } = this.#parts;
    // The lock is given back whatever the others say: a folder must not stay locked by a store that is gone.
    const errors = await closeAll([
      changes,
      following,
      regrouper,
      retainer,
      rejected,
      writer,
      rateSnoozes,
      acting,
      actionLog,
      groupingLog,
      index,
      { close: () => this.#dropStaleIndex() },
      ledger,
      ages,
      reader,
      record,
      fence,
      lock,
    ]);
    if (errors.length > 0 && fence.lost === undefined) throw errors[0];
  }

  /** An index may count what was taken from the record; without it the next opening makes one of what is left. */
  async #dropStaleIndex(): Promise<void> {
    const { directory, files, fence } = this.#parts;
    const isStale = fence.lost?.path.startsWith(join(directory, RAW_FOLDER)) === true;
    if (isStale && (await fence.holdsFolder())) await removeTree(files, indexFolder(directory));
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
