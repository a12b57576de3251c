import { resolve } from 'node:path';
import { Fault } from '../event/fault.js';
import type { IssueId } from '../event/ids.js';
import type { FingerprintedEvent, StoredEvent } from '../event/stages.js';
import type { Grouper } from '../fingerprint/grouper.js';
import { issueIdOf } from '../issues/issue-id.js';
import type {
  ActionRequest,
  ChangeOptions,
  ChangePosition,
  FailureActions,
  FailureChanges,
  FailureReader,
  IssueChange,
  IssueDetail,
} from '../reader.js';
import { type Closable, closeAll } from './close-all.js';
import type { CommittedEvent } from './committed-event.js';
import type { EventStoreOptions } from './event-store-options.js';
import { nodeFiles } from './files/node-files.js';
import type { FollowOptions, RecordFollower } from './following/record-follower.js';
import type { StoreNote } from './following/store-note.js';
import { reasonOf } from './record/append-faults.js';
import type { FoundMark } from './record/record-reader.js';
import { RECOVERED_MARK } from './record/recovered-mark.js';
import { openWriterLock, type WriterLock } from './record/writer-lock.js';
import { groupAgain } from './regroup/group-again.js';
import type { Regroup } from './regroup/regroup.js';
import type { RejectedPayload } from './rejected/rejected-payload.js';
import { openStoreParts, type StoreParts } from './store-parts.js';

/** What a sender may add to a batch. */
export interface AppendOptions {
  /** Names the batch in its commit records, so that a sender who was interrupted finds out what is stored (`findMarks`). 1 to 200 characters. */
  mark?: string;
  /** Key of the grouper that grouped the batch: where another one groups by now, the store groups it again. Default: it is taken as it is. */
  groupedBy?: string;
}

/**
 * The one writer of a data folder.
 * `append` answers when every event of the batch is durable, over however many partitions; a batch is refused whole with a retryable
 * Fault (`STORE_CLOSING`, `STORE_OVERLOADED`, `STORE_UNAVAILABLE`, `STORE_PARTITION_FULL`), and then none of it stays in the record. Calls may run at
 * the same time and share a commit. After an answer the reader sees the events.
 * `close` is idempotent: it lets running appends finish, checkpoints, and gives the lock back.
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
  findMarks(prefix: string): AsyncIterable<FoundMark>;
  /** The raw lines of a mark whose commit record carries no other; what retention removed meanwhile is not there. */
  linesOf(found: FoundMark): AsyncIterable<Buffer>;
  /** Raw lines that a crash left without an answer to their sender and that recovery kept. */
  recoveredLines(): AsyncIterable<Buffer>;
  /**
   * Gives what arrives, and what is there since that name's cursor, in order of arrival ([following/](following/README.md)). Closing the store ends it.
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
    const parts = await openStoreParts({ ...options, directory, files }, opened);
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

class OpenEventStore implements EventStore {
  readonly #parts: StoreParts & { readonly lock: WriterLock };
  #closed: Promise<void> | undefined;

  constructor(parts: StoreParts & { readonly lock: WriterLock }) {
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

  findMarks(prefix: string): AsyncIterable<FoundMark> {
    return this.#parts.record.findMarks(prefix);
  }

  async *linesOf({ partition, firstLine, lines }: FoundMark): AsyncIterable<Buffer> {
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
    const { ages, changes, regrouper, groupingLog, following } = this.#parts;
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
      ledger,
      ages,
      reader,
      record,
      lock,
    ]);
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
