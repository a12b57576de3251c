import { join, resolve } from 'node:path';
import type { FailureActions, FailureChanges, FailureReader, FailureReleases } from '../contract/reader.js';
import type { FingerprintedEvent, SenderOrigin, StoredEvent } from '../contract/stages.js';
import { Fault } from '../event/fault.js';
import type { Grouper } from '../fingerprint/grouper.js';
import { issueIdOf } from '../issues/issue-id.js';
import { type Closable, closeAll } from './close-all.js';
import type { RejectedPayload } from './dead-letters/dead-letter.js';
import type { EventStoreOptions } from './event-store-options.js';
import { nodeFiles } from './files/node-files.js';
import type { createStoreFollowing } from './following/store-following.js';
import type { FindStored } from './index/content/find-events.js';
import { groupRepeats, hasRepeats } from './index/content/group-repeats.js';
import { LOCK_FILE, openWriterLock } from './lock/writer-lock.js';
import { openComponents, type StoreComponents } from './open-store.js';
import { findStoredId } from './origins/origin-files.js';
import type { OriginLog } from './origins/origin-log.js';
import { RecordMoved, reasonOf } from './record/append-faults.js';
import { RECOVERED_BATCH_ID } from './record/commits/commit-record.js';
import type { CommittedEvent } from './record/commits/committed-event.js';
import type { FoundBatch, RecordReader } from './record/reader/record-reader.js';
import type { Regroup } from './regroup/regrouping.js';
import { regroupEvents } from './regroup/store-groupings.js';
import type { SessionReport } from './releases/session-tally.js';
import { NOTHING_KNOWN, summarizeRelease } from './releases/summarize-release.js';
import { createStoreFence } from './store-fence.js';
import type { SuggestionDecisions } from './suggestions/suggestion-decisions.js';
import type { IssueActing } from './triage/apply-action.js';

/** Options of one append. */
export interface AppendOptions {
  /** Stored in the commit records, so that an interrupted sender finds what is stored (`findBatches`). 1 to 200 characters. */
  batchId?: string;
  /** Who sent the batch, stored in the commit records; default: unknown. */
  origin?: SenderOrigin | undefined;
  /** Key of the grouper that grouped the batch: if the store's grouper has changed, it groups the batch again. Default: it does not. */
  groupedBy?: string;
}

/**
 * The one writer of a data folder.
 * `append` resolves when every event of the batch is durable and visible to the reader. A batch is refused whole with a retryable
 * Fault (`STORE_CLOSING`, `STORE_OVERLOADED`, `STORE_UNAVAILABLE`, `STORE_PARTITION_FULL`, `RECORD_MOVED`), and leaves nothing in the
 * record. Calls may overlap and share a commit.
 * If another process moves, removes or changes its files, the store accepts no more writes and calls `onLost`: it checks at each append
 * and every second.
 * `close` is idempotent: it waits for running appends, writes a checkpoint (unless the store is lost), and releases the lock.
 */
export interface EventStore
  extends AsyncDisposable,
    FailureActions,
    FailureChanges,
    FailureReleases,
    Pick<IssueActing, 'planAction' | 'adoptAction'>,
    Pick<RecordReader, 'findBatches'>,
    Pick<ReturnType<typeof createStoreFollowing>, 'follow' | 'note'> {
  append(events: readonly FingerprintedEvent[], options?: AppendOptions): Promise<readonly StoredEvent[]>;
  /** Stores rejected payloads as dead letters, see `RejectedLog`. Never fails, and resolves within 200 ms. */
  reject(receiver: string, rejected: readonly RejectedPayload[]): Promise<void>;
  /** Counts sessions of releases; resolves when the counts are durable. Faults as `recordRelease`. */
  countSessions(reports: readonly SessionReport[]): Promise<void>;
  /** Groups new events; a regrouping replaces it. */
  readonly grouper: Grouper;
  readonly regroup: Regroup;
  /** Decides about suggestions. */
  readonly decisions: Pick<SuggestionDecisions, 'plan' | 'planAll'>;
  /** Reads this store in this process; closing it leaves the store open. */
  readonly reader: FailureReader;
  /** The raw lines of a batch that is alone in its commit record, without those that retention removed. */
  batchLines(found: FoundBatch): AsyncIterable<Buffer>;
  /** Raw lines of interrupted appends that recovery adopted. */
  recoveredLines(): AsyncIterable<Buffer>;
  /** Opens the log of events from other collectors; the first call creates it. Rejects with `STORE_UNAVAILABLE`. */
  origins(): Promise<OriginLog>;
  /** Brings the index on disk up to the last commit. */
  checkpoint(): Promise<void>;
  /** Removes everything that is due; a failed removal rejects and is retried in the next run. Appends continue meanwhile. */
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
    // Until the store is open, `onLost` is not called: the opening rejects instead.
    let store: EventStore | undefined;
    const onLost = (moved: RecordMoved): void => store && (options.onLost ?? options.onFault)?.(moved);
    const fence = createStoreFence({ directory, files, lockIdentity, onLost });
    opened.push(fence);
    const onFault = (fault: Error): void => {
      if (fault instanceof RecordMoved) fence.lose(fault);
      else if (fence.lost === undefined) options.onFault?.(fault);
    };
    const components = await openComponents({ ...options, directory, files: fence.files, onFault, fence }, opened);
    await fence.check();
    store = storeOf(components, async () => {
      // The lock is released even if others fail: a closed store must not lock its folder.
      const errors = await closeAll(opened.reverse());
      if (errors.length > 0 && fence.lost === undefined) throw errors[0];
    });
    return store;
  } catch (error) {
    // Errors of closing matter less than this one.
    await closeAll(opened.reverse());
    throw error instanceof Fault ? error : notOpened(directory, error);
  }
}

function notOpened(directory: string, cause: unknown): Fault {
  const sentence = `The store in ${directory} could not be opened: ${reasonOf(cause)}. The folder must be complete and writable, and the disk must have space.`;
  return new Fault('STORE_UNAVAILABLE', sentence, { cause, retryable: true });
}

function storeOf(components: StoreComponents, closeStore: () => Promise<void>): EventStore {
  const { directory, files, gate, writer, groupings, index, record, following, origins, releaseLog, hours } =
    components;
  const findStored: FindStored = (origin) => findStoredId({ directory, files }, origin);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= closeStore();
    return closed;
  };

  const findBatches = async function* (prefix: string): AsyncGenerator<FoundBatch> {
    // Restores commit records that were lost.
    await hours.survey();
    yield* record.findBatches(prefix);
  };

  const batchLines = async function* ({ partition, firstLine, lines }: FoundBatch): AsyncIterable<Buffer> {
    for (let line = firstLine; line < firstLine + lines; line += 1) {
      const bytes = await record.readLine(partition, line);
      if (bytes !== undefined) yield bytes;
    }
  };

  let lastFolder = '';
  let path = '';
  const stored = ({ eventId, event, partition, line }: CommittedEvent): StoredEvent => {
    const { app, service } = event.payload;
    if (partition.folder !== lastFolder)
      [lastFolder, path] = [partition.folder, `${directory}/${partition.folder}/raw.ndjson`];
    const fingerprint = event.fingerprint.value;
    // The index computed the id once per issue.
    const issue = index.content.issues.find(app, service, fingerprint);
    return {
      event_id: eventId,
      issue_id: issue?.issueId ?? issueIdOf({ app, service, fingerprint }),
      fingerprint,
      raw: { path, line },
    };
  };

  return {
    reader: components.reader,
    regroup: components.regrouper,
    decisions: components.decisions,
    get grouper() {
      return groupings.grouper;
    },
    async append(events, { groupedBy, ...options } = {}) {
      const committed = await gate.pass(async () => {
        const isOutdated = groupedBy !== undefined && groupedBy !== groupings.grouper.key;
        const grouped = isOutdated ? await regroupEvents(events, groupings.grouper) : events;
        const { content } = index;
        const isPlain = !hasRepeats(grouped);
        return await writer.append(isPlain ? grouped : await groupRepeats(grouped, content, findStored), options);
      });
      return committed.map(stored);
    },
    reject: (receiver, rejected) => components.rejected.append(receiver, rejected),
    act: components.acting.act,
    planAction: components.acting.planAction,
    adoptAction: components.acting.adoptAction,
    async recordRelease(change) {
      await releaseLog.record(change);
      const detail = await components.reader.getRelease(change.release);
      // More than the log keeps may have been recorded meanwhile.
      if (detail === undefined) return summarizeRelease(change.release, undefined, NOTHING_KNOWN);
      const { commit_list: _, ...summary } = detail;
      return summary;
    },
    countSessions: (reports) => releaseLog.count(reports),
    changes: (options) => components.changes.changes(options),
    batchLines,
    findBatches,
    async *recoveredLines() {
      for await (const found of findBatches(RECOVERED_BATCH_ID)) yield* batchLines(found);
    },
    follow: following.follow,
    note: following.note,
    origins: () => origins.open(),
    checkpoint: () => index.checkpoint(),
    retain: components.retainer.run,
    close,
    [Symbol.asyncDispose]: close,
  };
}
