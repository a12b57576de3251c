import type { ActionRequest, IssueDetail, ReleaseSummary } from '../../generated/reader-answers.js';
import type {
  ChangeOptions,
  ChangePosition,
  FailureActions,
  FailureChanges,
  FailureReader,
  FailureReleases,
  IssueChange,
  ReleaseChange,
} from '../contract/reader.js';
import type { FingerprintedEvent, SenderOrigin, StoredEvent } from '../contract/stages.js';
import type { IssueId } from '../event/ids.js';
import type { Grouper } from '../fingerprint/grouper.js';
import { issueIdOf } from '../issues/issue-id.js';
import type { IdentifiedAction, NewAction } from './actions/action-log.js';
import { AppendGate } from './append-gate.js';
import { BackgroundWork } from './background-work.js';
import { IssueChanges } from './changes/issue-changes.js';
import type { RejectedPayload } from './dead-letters/dead-letter.js';
import type { EventStoreOptions } from './event-store-options.js';
import type { FollowerOptions, RecordFollower } from './following/record-follower.js';
import { StoreFollowing } from './following/store-following.js';
import type { StoreNote } from './following/store-note.js';
import { HeldFolder, openingFault } from './held-folder.js';
import type { FindStored } from './index/content/find-events.js';
import { groupRepeats, hasRepeats } from './index/content/group-repeats.js';
import { createLifecycles } from './issue-queries/issue-lifecycles.js';
import { findStoredId } from './origins/origin-files.js';
import type { OriginLog } from './origins/origin-log.js';
import { RECOVERED_BATCH_ID } from './record/commits/commit-record.js';
import type { CommittedEvent } from './record/commits/committed-event.js';
import { RAW_FILE } from './record/partitions/partition-path.js';
import type { FoundBatch } from './record/reader/record-reader.js';
import {
  type OpenedIndex,
  type OpenedLogs,
  type OpenedRecord,
  openIndex,
  openLogs,
  openRecord,
} from './recover-store.js';
import { Regrouper } from './regroup/regrouper.js';
import type { Regroup } from './regroup/regrouping.js';
import { regroupEvents } from './regroup/store-groupings.js';
import type { SessionReport } from './releases/session-tally.js';
import { NOTHING_KNOWN, summarizeRelease } from './releases/summarize-release.js';
import { StoreReader } from './store-reader.js';
import { type OpenedWriter, openWriter } from './store-writer.js';
import { SuggestionDecisions } from './suggestions/suggestion-decisions.js';
import { IssueActing } from './triage/apply-action.js';

/** Options of one append. */
export interface AppendOptions {
  /** Stored in the commit records, so that an interrupted sender finds what is stored (`findBatches`). 1 to 200 characters. */
  batchId?: string;
  /** Who sent the batch, stored in the commit records; default: unknown. */
  origin?: SenderOrigin | undefined;
  /** Key of the grouper that grouped the batch: if the store's grouper has changed, it groups the batch again. Default: it does not. */
  groupedBy?: string;
}

/** Opens a data folder for writing. Faults: `STORE_LOCKED` (names the holder), `STORE_UNAVAILABLE`. */
export function openEventStore(options: EventStoreOptions): Promise<EventStore> {
  return EventStore.open(options);
}

/** What the phases of an opening have opened, in their order. */
interface OpenedStore {
  readonly record: OpenedRecord;
  readonly indexing: OpenedIndex;
  readonly logs: OpenedLogs;
  readonly writing: OpenedWriter;
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
export class EventStore implements AsyncDisposable, FailureActions, FailureChanges, FailureReleases {
  /** Reads this store in this process; closing it leaves the store open. */
  readonly reader: FailureReader;
  readonly regroup: Regroup;
  /** Decides about suggestions. */
  readonly decisions: Pick<SuggestionDecisions, 'plan' | 'planAll'>;
  readonly #folder: HeldFolder;
  readonly #opened: OpenedStore;
  /** Admits events and actions; a regrouping closes it for a moment. */
  readonly #gate = new AppendGate();
  readonly #acting: IssueActing;
  readonly #following: StoreFollowing;
  readonly #changes: IssueChanges;
  readonly #background: BackgroundWork;
  #closed: Promise<void> | undefined;

  /** As `openEventStore`: recovers the record and its index, opens the logs and the writer, and starts the background work. */
  static async open(options: EventStoreOptions): Promise<EventStore> {
    const folder = await HeldFolder.lock(options);
    try {
      const record = await openRecord(folder, options);
      const indexing = await openIndex(folder, options, record);
      const logs = await openLogs(folder, options, record, indexing);
      const writing = await openWriter(folder, options, record, indexing);
      await folder.check();
      const store = new EventStore(folder, options, { record, indexing, logs, writing });
      store.#start();
      return store;
    } catch (error) {
      // Errors of closing matter less than this one.
      await folder.close();
      throw openingFault(folder.directory, error);
    }
  }

  private constructor(folder: HeldFolder, options: EventStoreOptions, opened: OpenedStore) {
    const { directory, files, onFault } = folder;
    const { nowMs = Date.now } = options;
    const { indexing, logs, writing } = opened;
    const { reader: record, ledger, groupings, clock } = opened.record;
    const { index, hours } = indexing;
    const { actions } = logs;
    const { createGrouper } = groupings;
    const lifecycles = createLifecycles(actions, nowMs);
    const sources = { directory, files, onFault, nowMs, record, index, actions, lifecycles };
    this.#folder = folder;
    this.#opened = opened;
    const reader = new StoreReader({
      ...sources,
      access: { actions: true },
      plan: () => groupings.plan,
      createGrouper,
      measure: async (fromHour) => hours.sizes.sumFrom(fromHour),
      rejected: writing.rejected,
      releases: async () => logs.releaseLog.states,
      decided: async () => logs.decided.all,
    });
    this.reader = reader;
    this.#acting = new IssueActing({ ...sources, gate: this.#gate, actionLog: logs.actionLog, reader });
    this.#following = new StoreFollowing({ ...sources, clock });
    this.#changes = new IssueChanges({ ...sources, grouping: () => groupings.plan.id });
    this.#background = new BackgroundWork({
      ...opened,
      folder,
      options,
      acting: this.#acting,
      following: this.#following,
    });
    const { history } = ledger;
    const regrouper = new Regrouper({ ...sources, history, createGrouper, groupings, gate: this.#gate });
    this.regroup = regrouper;
    const decisions = new SuggestionDecisions({
      ...sources,
      decided: logs.decided,
      groupings,
      regroup: regrouper,
      reader,
    });
    this.decisions = decisions;
    folder.closeLater(reader);
    folder.closeLater(this.#acting);
    folder.closeLater(this.#background);
    folder.closeLater(decisions);
    // Closed before the decisions, which wait for their regrouping.
    folder.closeLater(regrouper);
    folder.closeLater(this.#following);
    folder.closeLater(this.#changes);
  }

  /** Groups new events; a regrouping replaces it. */
  get grouper(): Grouper {
    return this.#opened.record.groupings.grouper;
  }

  async append(
    events: readonly FingerprintedEvent[],
    { groupedBy, ...options }: AppendOptions = {},
  ): Promise<readonly StoredEvent[]> {
    const { directory, files } = this.#folder;
    const { record, indexing, writing } = this.#opened;
    const committed = await this.#gate.pass(async () => {
      const isOutdated = groupedBy !== undefined && groupedBy !== this.grouper.key;
      const grouped = isOutdated ? await regroupEvents(events, this.grouper) : events;
      if (!hasRepeats(grouped)) return await writing.writer.append(grouped, options);
      const findStored: FindStored = (origin) => findStoredId({ directory, files }, origin);
      const { content } = indexing.index;
      const repeats = await groupRepeats(grouped, { content, record: record.reader, findStored });
      return await writing.writer.append(repeats, options);
    });
    return committed.map((event) => this.#storedEvent(event));
  }

  /** Stores rejected payloads as dead letters, see `DeadLetterLog`. Never fails, and resolves within 200 ms. */
  reject(receiver: string, rejected: readonly RejectedPayload[]): Promise<void> {
    return this.#opened.writing.rejected.append(receiver, rejected);
  }

  act(issueId: IssueId, request: ActionRequest): Promise<IssueDetail> {
    return this.#acting.act(issueId, request);
  }

  /** As `IssueActing.planAction`. */
  planAction(issueId: IssueId, request: ActionRequest): Promise<NewAction> {
    return this.#acting.planAction(issueId, request);
  }

  /** As `IssueActing.adoptAction`. */
  adoptAction(action: IdentifiedAction): Promise<void> {
    return this.#acting.adoptAction(action);
  }

  async recordRelease(change: ReleaseChange): Promise<ReleaseSummary> {
    await this.#opened.logs.releaseLog.record(change);
    const detail = await this.reader.getRelease(change.release);
    // More than the log keeps may have been recorded meanwhile.
    if (detail === undefined) return summarizeRelease(change.release, undefined, NOTHING_KNOWN);
    const { commit_list: _, ...summary } = detail;
    return summary;
  }

  /** Counts sessions of releases; resolves when the counts are durable. Faults as `recordRelease`. */
  countSessions(reports: readonly SessionReport[]): Promise<void> {
    return this.#opened.logs.releaseLog.count(reports);
  }

  changes(options?: ChangeOptions): AsyncIterable<IssueChange | ChangePosition> {
    return this.#changes.changes(options);
  }

  /** As `RecordReader.findBatches`. */
  async *findBatches(prefix: string): AsyncGenerator<FoundBatch> {
    // Restores commit records that were lost.
    await this.#opened.indexing.hours.survey();
    yield* this.#opened.record.reader.findBatches(prefix);
  }

  /** The raw lines of a batch that is alone in its commit record, without those that retention removed. */
  async *batchLines({ partition, firstLine, lines }: FoundBatch): AsyncGenerator<Buffer> {
    for (let line = firstLine; line < firstLine + lines; line += 1) {
      const bytes = await this.#opened.record.reader.readLine(partition, line);
      if (bytes !== undefined) yield bytes;
    }
  }

  /** Raw lines of interrupted appends that recovery adopted. */
  async *recoveredLines(): AsyncGenerator<Buffer> {
    for await (const batch of this.findBatches(RECOVERED_BATCH_ID)) yield* this.batchLines(batch);
  }

  /** As `StoreFollowing.follow`. */
  follow(options: FollowerOptions): Promise<RecordFollower> {
    return this.#following.follow(options);
  }

  /** As `StoreFollowing.note`. */
  note(name: string): StoreNote {
    return this.#following.note(name);
  }

  /** Opens the log of events from other collectors; the first call creates it. Rejects with `STORE_UNAVAILABLE`. */
  origins(): Promise<OriginLog> {
    return this.#opened.writing.origins.open();
  }

  /** Brings the index on disk up to the last commit. */
  checkpoint(): Promise<void> {
    return this.#opened.indexing.index.checkpoint();
  }

  /** Removes everything that is due; a failed removal rejects and is retried in the next run. Appends continue meanwhile. */
  retain(): Promise<void> {
    return this.#background.retain();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Last phase of an opening. */
  #start(): void {
    const { commits } = this.#opened.writing;
    this.#background.start();
    commits.add((events) => this.#following.committed(events));
    this.#folder.storeIsOpen();
  }

  /**
   * Closes what was opened, in reverse order, so that nothing uses what is closed already: first those who wait for changes and followers;
   * the regrouper, which aborts a regrouping, and then the decisions that wait for it; the background work; the running actions; the reader;
   * the dead letters; the writer, which waits for running appends; the other logs of the writer; the logs of releases and actions; then
   * the index, whose last checkpoint knows everything from before, and which is removed if it counts events that were taken away; the logs
   * of groupings and removals; the record; and last the fence and the lock, so that no other process writes before all of this is done.
   */
  async #close(): Promise<void> {
    const [error] = await this.#folder.close();
    if (error !== undefined && !this.#folder.isLost) throw error;
  }

  #storedEvent({ eventId, event, partition, line }: CommittedEvent): StoredEvent {
    const { app, service } = event.payload;
    const fingerprint = event.fingerprint.value;
    // The index computed the id once per issue.
    const issue = this.#opened.indexing.index.content.issues.find(app, service, fingerprint);
    return {
      event_id: eventId,
      issue_id: issue?.issueId ?? issueIdOf({ app, service, fingerprint }),
      fingerprint,
      raw: { path: `${this.#folder.directory}/${partition.folder}/${RAW_FILE}`, line },
    };
  }
}
