import type {
  Access,
  DecidedSuggestion,
  EventDetail,
  EventPage,
  EventSearchPage,
  EventsSummary,
  FieldValues,
  GroupingComparison,
  IssueCounts,
  IssueDetail,
  IssuePage,
  IssuesSince,
  RejectedPage,
  ReleaseDetail,
  Releases,
  Stats,
  Suggestion,
  Suggestions,
} from '../../generated/reader-answers.js';
import type {
  EventListOptions,
  EventSummaryOptions,
  FailureReader,
  FieldValueOptions,
  IssueCountOptions,
  IssueListOptions,
  IssuesSinceOptions,
} from '../contract/reader.js';
import { Fault } from '../event/fault.js';
import type { EventId, IssueId } from '../event/ids.js';
import { compareGroupings } from '../explain/compare-groupings.js';
import { parseQuery } from '../query/parse-query.js';
import { matchesEverything } from '../query/query-ast.js';
import { findQueryField, isListed } from '../query/query-fields.js';
import { withoutEachTerm } from '../query/without-terms.js';
import { listSuggestions } from '../suggestions/list-suggestions.js';
import type { IssueActions } from './actions/action-history.js';
import { automaticHistory } from './event-queries/automatic-history.js';
import { createEventSelector, type EventQueryContext } from './event-queries/event-query.js';
import { selectEvents } from './event-queries/list-events.js';
import { searchEvents } from './event-queries/search-events.js';
import { summarizeEvents } from './event-queries/summarize-events.js';
import { activeGrouping, type GroupingPlan } from './groupings/grouping-log-plan.js';
import { type EventLocation, findEventOrOrigin } from './index/content/find-events.js';
import type { IndexContent } from './index/content/index-content.js';
import { storedEventsOf } from './index/content/issue-state.js';
import { OccurrenceReports } from './index/content/occurrence-reports.js';
import { isIndexUnusable } from './index/documents/index-fault.js';
import { type CreateGrouper, createEventGroupers, type FindGrouper } from './index/event-groupers.js';
import type { IndexSource } from './index/index-source.js';
import {
  createLineReport,
  detailEvent,
  eventIdOf,
  eventOfPayload,
  type ReadEvent,
  type ReportLine,
  readEvent,
  summarizeEvent,
} from './index/read-event.js';
import { IssueExamples } from './issue-queries/issue-examples.js';
import type { IssueLifecycles, LifecyclesOf } from './issue-queries/issue-lifecycles.js';
import { IssueSearch } from './issue-queries/issue-search.js';
import { IssueStatuses } from './issue-queries/issue-statuses.js';
import { describeIssue, summarizeIssue } from './issue-queries/issue-summary.js';
import { selectSince } from './issue-queries/issues-since.js';
import { countIssues, countValues, type ListedIssues, selectIssues } from './issue-queries/list-issues.js';
import { pageLimit } from './issue-queries/page-cursor.js';
import { countReleaseIssues } from './issue-queries/release-issues.js';
import { listRejected } from './list-rejected.js';
import { StoreMeter, type StoreMeterOptions } from './measure-store.js';
import { findStoredId } from './origins/origin-files.js';
import type { RecordReader } from './record/reader/record-reader.js';
import type { ReleaseStates } from './releases/release-states.js';
import { type KnownReleases, listReleases, summarizeRelease } from './releases/summarize-release.js';

/** Sources of a reader; closing the reader leaves them open. */
export interface StoreReaderOptions extends StoreMeterOptions {
  readonly index: IndexSource;
  readonly record: Pick<RecordReader, 'readAt' | 'originOf'>;
  readonly actions: Pick<IssueActions, 'refresh'>;
  readonly lifecycles: LifecyclesOf;
  readonly access: Access;
  readonly createGrouper: CreateGrouper;
  /** Decisions about suggestions, the last first. */
  readonly decided: () => Promise<readonly DecidedSuggestion[]>;
  /** As the log of releases says now. */
  readonly releases: () => Promise<ReleaseStates>;
  /** Called once for every unreadable raw line that a list left out. */
  readonly onFault?: ((fault: Error) => void) | undefined;
}

/** Implements `FailureReader` over an index and its record. */
export class StoreReader implements FailureReader {
  readonly #options: StoreReaderOptions;
  readonly #meter: StoreMeter;
  readonly #examples: IssueExamples;
  readonly #onUnreadable: ReportLine;
  /** Of the current content. */
  #search: IssueSearch | undefined;
  /** Of the current plan. */
  #groupers: { readonly plan: GroupingPlan; readonly find: FindGrouper } | undefined;
  #isClosed = false;

  constructor(options: StoreReaderOptions) {
    this.#options = options;
    this.#meter = new StoreMeter(options);
    this.#onUnreadable = createLineReport((fault) => options.onFault?.(fault));
    this.#examples = new IssueExamples({
      index: options.index,
      record: options.record,
      explain: (payload, receivedAtMicros, version) =>
        this.#findGrouper(receivedAtMicros, version).grouper.fingerprint(payload),
      report: this.#onUnreadable,
    });
  }

  listIssues(options: IssueListOptions = {}): Promise<IssuePage> {
    return this.#read(async (content, lifecycles) => {
      const listed = this.#issuesToList(content, lifecycles, options.query);
      const { issues, nextCursor, total } = await selectIssues(listed, options);
      return { issues: issues.map((issue) => summarizeIssue(issue, lifecycles)), next_cursor: nextCursor, total };
    });
  }

  countIssues({ query, me, terms = false }: IssueCountOptions = {}): Promise<IssueCounts> {
    return this.#read(async (content, lifecycles) => {
      const count = (text?: string) => countIssues(this.#issuesToList(content, lifecycles, text), me);
      const counts = await count(query);
      if (!terms) return counts;
      const without: NonNullable<IssueCounts['without']> = [];
      for (const { term, others } of withoutEachTerm(query ?? '')) without.push({ term, counts: await count(others) });
      return { ...counts, without };
    });
  }

  listValues({ field: name, query, ...options }: FieldValueOptions): Promise<FieldValues> {
    return this.#read(async (content, lifecycles) => {
      const field = findQueryField(name);
      if (field === undefined || !isListed(field)) {
        throw new Fault('PARAMETER_INVALID', `"${name}" is not a text field of issues.`);
      }
      const listed = this.#issuesToList(content, lifecycles, query);
      const view = this.#searchOf(content).view(new IssueStatuses(lifecycles));
      const valueAt = (ordinal: number) => {
        view.ordinal = ordinal;
        return field.ofIssue?.(view) ?? null;
      };
      return await countValues(listed, valueAt, options);
    });
  }

  listIssuesSince(options: IssuesSinceOptions): Promise<IssuesSince> {
    return this.#read((content, lifecycles) => selectSince(this.#issuesToList(content, lifecycles, ''), options));
  }

  listReleases({ limit }: Pick<IssueListOptions, 'limit'> = {}): Promise<Releases> {
    return this.#read(async (content, lifecycles) =>
      listReleases(await this.#knownReleases(content, lifecycles), pageLimit(limit)),
    );
  }

  getRelease(name: string): Promise<ReleaseDetail | undefined> {
    return this.#read(async (content, lifecycles) => {
      const releases = await this.#knownReleases(content, lifecycles);
      const count = releases.counts.find((release) => release.name === name);
      const state = releases.states.get(name);
      if (count === undefined && state === undefined) return undefined;
      return { ...summarizeRelease(name, count, releases), commit_list: [...(state?.commits ?? [])] };
    });
  }

  getIssue(issueId: IssueId): Promise<IssueDetail | undefined> {
    return this.#read(async (content, lifecycles) => {
      const issue = content.issues.get(issueId);
      if (issue === undefined) return undefined;
      const [survivor = issue] = lifecycles.membersOf(issue);
      const { basis, first } = await this.#examples.firstOf(content, survivor);
      const automatic = await automaticHistory({
        content,
        lifecycles,
        shown: lifecycles.shownAs(survivor),
        first,
        releaseOf: (row) => this.#examples.releaseOf(survivor, row),
      });
      return describeIssue(survivor, basis, lifecycles, automatic);
    });
  }

  listEvents(issueId: IssueId, options: EventListOptions = {}): Promise<EventPage | undefined> {
    return this.#read(async (content, lifecycles) => {
      const query = parseQuery(options.query ?? '', 'events');
      const issue = content.issues.get(issueId);
      if (issue === undefined) return undefined;
      const [survivor = issue, ...others] = lifecycles.membersOf(issue);
      const selector = createEventSelector(query, this.#searchOf(content), this.#queryContext(lifecycles));
      const { events, nextCursor } = await selectEvents(content, [survivor, ...others], selector, options);
      return { events: events.map(summarizeEvent), next_cursor: nextCursor };
    });
  }

  summarizeEvents(issueId: IssueId, options: EventSummaryOptions = {}): Promise<EventsSummary | undefined> {
    return this.#read(async (content, lifecycles) => {
      const query = parseQuery(options.query ?? '', 'events');
      const issue = content.issues.get(issueId);
      if (issue === undefined) return undefined;
      const summarized = { query, shown: lifecycles.shownAs(issue), members: lifecycles.membersOf(issue) };
      return await summarizeEvents(this.#searchOf(content), this.#queryContext(lifecycles), summarized, options);
    });
  }

  searchEvents(options: EventListOptions = {}): Promise<EventSearchPage> {
    return this.#read((content, lifecycles) => {
      const rawBytes = async () => (await this.#meter.recordSize(content)).rawBytes;
      return searchEvents(this.#searchOf(content), { ...this.#queryContext(lifecycles), rawBytes }, options);
    });
  }

  getEvent(eventId: EventId): Promise<EventDetail | undefined> {
    return this.#read(async (content, lifecycles) => {
      const { record, directory, files } = this.#options;
      const stored = await findEventOrOrigin(content, eventId, (origin) => findStoredId({ directory, files }, origin));
      const issue = stored && content.issues.inOrder[stored.row.ordinal];
      if (stored === undefined || issue === undefined) return undefined;
      // As in lists: the issue that it is shown in, with its own fingerprint.
      const shown = { issueId: lifecycles.shownAs(issue).issueId, fingerprint: issue.fingerprint };
      const event = await readEvent(record, stored.row, shown);
      if (event === undefined) return undefined;
      const reports = await this.#reportsWith(event, stored, content, lifecycles);
      const others = reports.filter((report) => report !== event).map(({ payload }) => payload);
      const { partition, line } = stored.row;
      const origin = await record.originOf(partition, line);
      return detailEvent(directory, eventOfPayload(stored.row, event.payload, shown, others), { origin, reports });
    });
  }

  /** An event and the other reports of its occurrence that can be read, the one that counts first. */
  async #reportsWith(
    event: ReadEvent,
    location: EventLocation,
    content: IndexContent,
    lifecycles: IssueLifecycles,
  ): Promise<ReadEvent[]> {
    const reports: ReadEvent[] = [];
    for (const { row } of await new OccurrenceReports(content).of(location)) {
      const issue = content.issues.inOrder[row.ordinal];
      if (issue === undefined) continue;
      const shown = { issueId: lifecycles.shownAs(issue).issueId, fingerprint: issue.fingerprint };
      const isOwn = eventIdOf(row) === event.eventId;
      const report = isOwn ? event : await this.#examples.read(shown, row);
      if (report !== undefined) reports.push(report);
    }
    return reports;
  }

  listRejected(options?: EventListOptions): Promise<RejectedPage> {
    return this.#read(() => listRejected(this.#options, options));
  }

  explain(a: string, b: string): Promise<GroupingComparison> {
    return this.#read(async (content, lifecycles) => {
      const exampleA = await this.#examples.find(content, lifecycles, 'a', a);
      const exampleB = await this.#examples.find(content, lifecycles, 'b', b);
      return compareGroupings(exampleA, exampleB, activeGrouping(this.#options.plan()));
    });
  }

  async suggestions({ service }: { service?: string } = {}): Promise<Suggestions> {
    const isOfService = (suggestion: Suggestion): boolean => service === undefined || suggestion.service === service;
    const decided = await this.#options.decided();
    return { suggestions: await this.findSuggestions(isOfService), decided: decided.filter(isOfService) };
  }

  /** The suggestions that are wanted and not decided yet, most events first. */
  findSuggestions(isWanted: (suggestion: Suggestion) => boolean): Promise<Suggestion[]> {
    return this.#read(async (content) => {
      const decided = new Set((await this.#options.decided()).map(({ id }) => id));
      const payloadsOf = async (issueId: IssueId, count: number) => {
        const issue = content.issues.get(issueId);
        return issue === undefined ? [] : await this.#examples.payloadsOf(content, issue, count);
      };
      return await listSuggestions(
        content.issues.inOrder.filter((issue) => storedEventsOf(issue) > 0),
        activeGrouping(this.#options.plan()),
        payloadsOf,
        (suggestion) => !decided.has(suggestion.id) && isWanted(suggestion),
      );
    });
  }

  stats(): Promise<Stats> {
    return this.#read((content, lifecycles) => this.#meter.stats(content, lifecycles.merged));
  }

  access(): Promise<Access> {
    return this.#read(async () => this.#options.access);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  /** Runs a query on the current index, and repeats it once if a document was replaced during the read. */
  async #read<Result>(query: (content: IndexContent, lifecycles: IssueLifecycles) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new Fault('READER_CLOSED', 'This reader is closed; open another one.');
    const { index, actions, lifecycles } = this.#options;
    await Promise.all([index.refresh(), actions.refresh()]);
    const { content } = index;
    try {
      return await query(content, lifecycles(content));
    } catch (error) {
      if (!isIndexUnusable(error) || !(await index.recover(error, content))) throw error;
      return await query(index.content, lifecycles(index.content));
    }
  }

  /** The issues of a list. Throws `QUERY_INVALID`. */
  #issuesToList(content: IndexContent, lifecycles: IssueLifecycles, text: string | undefined): ListedIssues {
    const query = parseQuery(text ?? '', 'issues');
    const statuses = new IssueStatuses(lifecycles);
    if (matchesEverything(query)) return { statuses };
    return { statuses, matches: this.#searchOf(content).matcher(query, statuses) };
  }

  async #knownReleases(content: IndexContent, lifecycles: IssueLifecycles): Promise<KnownReleases> {
    const counts = content.segments.releases;
    const issues = await countReleaseIssues(lifecycles, counts);
    return { counts, states: await this.#options.releases(), issues };
  }

  #queryContext(lifecycles: IssueLifecycles): EventQueryContext {
    const { record } = this.#options;
    return { statuses: new IssueStatuses(lifecycles), record, onUnreadable: this.#onUnreadable };
  }

  #searchOf(content: IndexContent): IssueSearch {
    if (this.#search?.content !== content) this.#search = new IssueSearch(content);
    return this.#search;
  }

  get #findGrouper(): FindGrouper {
    const { createGrouper } = this.#options;
    const plan = this.#options.plan();
    if (this.#groupers?.plan !== plan) {
      this.#groupers = { plan, find: createEventGroupers({ plan, createGrouper }) };
    }
    return this.#groupers.find;
  }
}
