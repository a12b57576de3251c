import { Fault } from '../event/fault.js';
import type { RawPayload } from '../event/raw-payload.js';
import type { Fingerprint, FingerprintBasis } from '../fingerprint/fingerprint.js';
import { foldLifecycle, issueHistory, type Lifecycle } from '../issues/lifecycle.js';
import { eventMatcher } from '../query/match-query.js';
import { parseQuery } from '../query/parse-query.js';
import { matchesEverything } from '../query/query-ast.js';
import type { DeadLetterStats, FailureReader, RemovedStats, Stats } from '../reader.js';
import type { EventRow } from './index/event-segment.js';
import { type EventPlace, eventsOf, findEvent, firstEventOf } from './index/find-events.js';
import type { IndexContent } from './index/index-content.js';
import { isIndexUnusable } from './index/index-fault.js';
import type { IndexSource } from './index/index-source.js';
import type { IssueState } from './index/issue-state.js';
import type { RemovedTotals } from './index/removal.js';
import type { ActionSource } from './issue-actions.js';
import { IssueSearch } from './issue-search.js';
import { summarizeIssue } from './issue-summary.js';

import { selectEvents } from './list-events.js';
import { selectIssues } from './list-issues.js';
import { detailEvent, eventIdOf, type ReadEvent, rawLineMissing, readEvent, summarizeEvent } from './read-event.js';
import { formatMicros } from './record/arrival-time.js';
import type { RecordReader } from './record/record-reader.js';
import type { RecordSize } from './record-size.js';

/** What a reader reads from; all of it stays open when the reader closes. */
export interface StoreReaderOptions {
  /** Absolute path of the data folder. */
  directory: string;
  index: IndexSource;
  record: Pick<RecordReader, 'readAt'>;
  actions: ActionSource;
  /** The function that groups events on arrival; explains an issue's grouping. */
  fingerprint: (payload: RawPayload) => Fingerprint;
  /** Measures the record, for `stats`. */
  recordSize: () => Promise<RecordSize>;
  /** Measures the dead letters, for `stats`. */
  deadLetters: () => Promise<DeadLetterStats>;
  /** Wall clock in milliseconds since the epoch, default `Date.now`; trends end with its hour. */
  nowMs?: (() => number) | undefined;
  /** Called once for every raw line that a list left out because it cannot be read. */
  onFault?: ((fault: Error) => void) | undefined;
}

const MAX_RELATED = 32;
/** Broken lines that are remembered as reported; beyond them the memory starts over. */
const MAX_REPORTED = 1000;

/** Reads issues and events from an index and the record beside it, as `FailureReader` promises. */
export function createStoreReader(options: StoreReaderOptions): FailureReader {
  return new StoreReader(options);
}

class StoreReader implements FailureReader {
  readonly #options: StoreReaderOptions;
  readonly #reported = new Set<string>();
  #search: IssueSearch | undefined;
  #closed = false;

  constructor(options: StoreReaderOptions) {
    this.#options = options;
  }

  listIssues: FailureReader['listIssues'] = (options = {}) =>
    this.#read(async (content) => {
      const query = parseQuery(options.query ?? '', 'issues');
      const search = this.#searchOf(content);
      await search.columns.refresh();
      const matches = matchesEverything(query) ? undefined : search.matcher(query, this.#options.actions);
      const { inOrder } = content.issues;
      const { issues, nextCursor, total } = await selectIssues(inOrder, search.columns, matches, options);
      return { issues: issues.map((issue) => this.#summarize(issue)), next_cursor: nextCursor, total };
    });

  getIssue: FailureReader['getIssue'] = (issueId) =>
    this.#read(async (content) => {
      const issue = content.issues.get(issueId);
      if (issue === undefined) return undefined;
      const basis = await this.#basisOf(content, issue);
      return {
        ...this.#summarize(issue),
        fingerprint_version: issue.fingerprintVersion,
        basis,
        history: issueHistory(this.#options.actions.of(issueId)),
        related: content.issues.related(issue, MAX_RELATED).map((related) => related.issueId),
      };
    });

  listEvents: FailureReader['listEvents'] = (issueId, options = {}) =>
    this.#read(async (content) => {
      const query = parseQuery(options.query ?? '', 'events');
      const issue = content.issues.get(issueId);
      if (issue === undefined) return undefined;
      const { title } = issue;
      const { status } = this.#lifecycleOf(issue);
      const matcher = eventMatcher(query);
      const matches = ({ normalized }: ReadEvent) => matcher({ normalized, issueId, title, status });
      const choice = {
        read: ({ row }: EventPlace) => this.#readOrReport(issue, row),
        matches: matchesEverything(query) ? undefined : matches,
      };
      const { events, nextCursor } = await selectEvents(content, issue, choice, options);
      return { events: events.map(summarizeEvent), next_cursor: nextCursor };
    });

  getEvent: FailureReader['getEvent'] = (eventId) =>
    this.#read(async (content) => {
      const place = await findEvent(content, eventId);
      const issue = place && content.issues.inOrder[place.row.ordinal];
      if (place === undefined || issue === undefined) return undefined;
      const event = await readEvent(this.#options.record, place.row, issue);
      return event && detailEvent(this.#options.directory, event);
    });

  stats: FailureReader['stats'] = () =>
    this.#read(async (content): Promise<Stats> => {
      const { partitions, rawBytes } = await this.#options.recordSize();
      return {
        events: content.segments.events,
        issues: content.issues.inOrder.length,
        partitions,
        raw_bytes: rawBytes,
        checkpoint_lag_events: this.#options.index.lagEvents,
        removed: removedStats(content.removed),
        dead_letters: await this.#options.deadLetters(),
        directory: this.#options.directory,
        receivers: {},
      };
    });

  async close(): Promise<void> {
    this.#closed = true;
  }

  /** Answers from the index as it is now, and once more where a document of it was replaced while it was read. */
  async #read<Answer>(answer: (content: IndexContent) => Promise<Answer>): Promise<Answer> {
    if (this.#closed) throw new Fault('READER_CLOSED', 'This reader is closed; open another one.');
    const { actions, index } = this.#options;
    await Promise.all([index.refresh(), actions.refresh()]);
    try {
      return await answer(index.content);
    } catch (error) {
      if (!isIndexUnusable(error) || !(await index.recover(error))) throw error;
      return await answer(index.content);
    }
  }

  #lifecycleOf(issue: IssueState): Lifecycle {
    return foldLifecycle(this.#options.actions.of(issue.issueId), issue.lastReceivedAtMicros);
  }

  #summarize(issue: IssueState) {
    return summarizeIssue(issue, this.#lifecycleOf(issue), (this.#options.nowMs ?? Date.now)());
  }

  #searchOf(content: IndexContent): IssueSearch {
    if (this.#search?.content !== content) this.#search = new IssueSearch(content);
    return this.#search;
  }

  /** Why an issue's events are one issue: of its first event, or where that is gone of its latest, or nothing where all are. */
  async #basisOf(content: IndexContent, issue: IssueState): Promise<FingerprintBasis> {
    const first = await firstEventOf(content, issue);
    const event = first && (await this.#readOrReport(issue, first.row));
    if (event !== undefined) return this.#options.fingerprint(event.payload).basis;
    for await (const { row } of eventsOf(content, issue)) {
      const latest = await this.#readOrReport(issue, row);
      if (latest !== undefined) return this.#options.fingerprint(latest.payload).basis;
      break;
    }
    return { version: issue.fingerprintVersion, rule: 'unknown', parts: [] };
  }

  async #readOrReport(issue: IssueState, row: EventRow): Promise<ReadEvent | undefined> {
    try {
      const event = await readEvent(this.#options.record, row, issue);
      // Retention may have removed it since its row was found.
      const isRemoved = row.receivedAtMicros < this.#options.index.content.removed.beforeMicros;
      if (event === undefined && !isRemoved) this.#report(eventIdOf(row), rawLineMissing(row));
      return event;
    } catch (error) {
      if (!(error instanceof Fault) || error.code === 'READER_CLOSED') throw error;
      this.#report(eventIdOf(row), error);
      return undefined;
    }
  }

  #report(eventId: string, fault: Fault): void {
    if (this.#reported.has(eventId)) return;
    if (this.#reported.size >= MAX_REPORTED) this.#reported.clear();
    this.#reported.add(eventId);
    this.#options.onFault?.(fault);
  }
}

function removedStats({ events, partitions, rawBytes, beforeMicros }: RemovedTotals): RemovedStats {
  const before = beforeMicros === 0 ? null : formatMicros(beforeMicros);
  return { events, partitions, raw_bytes: rawBytes, before };
}
