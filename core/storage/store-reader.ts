import type { Access, DecidedSuggestion, IssueCounts, Suggestion } from '../../generated/reader-answers.js';
import type { FailureReader } from '../contract/reader.js';
import { Fault } from '../event/fault.js';
import { compareGroupings } from '../explain/compare-groupings.js';
import { parseQuery } from '../query/parse-query.js';
import { matchesEverything } from '../query/query-ast.js';
import { findQueryField, isListed } from '../query/query-fields.js';
import { withoutEachTerm } from '../query/without-terms.js';
import { listSuggestions } from '../suggestions/list-suggestions.js';
import type { IssueActions } from './actions/action-history.js';
import { automaticHistory } from './event-queries/automatic-history.js';
import { createEventSelector, type EventQueryContext } from './event-queries/event-query.js';
import type { SearchedRecord } from './event-queries/file-search.js';
import { selectEvents } from './event-queries/list-events.js';
import { searchEvents } from './event-queries/search-events.js';
import { summarizeEvents } from './event-queries/summarize-events.js';
import { activeGrouping, type GroupingPlan } from './groupings/grouping-log-plan.js';
import { findEventOrOrigin } from './index/content/find-events.js';
import type { IndexContent } from './index/content/index-content.js';
import { storedEventsOf } from './index/content/issue-state.js';
import { isIndexUnusable } from './index/documents/index-fault.js';
import { type CreateGrouper, createEventGroupers, type FindGrouper } from './index/event-groupers.js';
import type { IndexSource } from './index/index-source.js';
import { createLineReport, detailEvent, readEvent, summarizeEvent } from './index/read-event.js';
import type { EventRow } from './index/segments/event-segment.js';
import { createIssueExamples, type IssueExamplesOptions } from './issue-queries/issue-examples.js';
import type { IssueLifecycles, LifecyclesOf } from './issue-queries/issue-lifecycles.js';
import { IssueSearch } from './issue-queries/issue-search.js';
import { IssueStatuses } from './issue-queries/issue-statuses.js';
import { describeIssue, summarizeIssue } from './issue-queries/issue-summary.js';
import { selectSince } from './issue-queries/issues-since.js';
import { countIssues, countValues, type ListedIssues, selectIssues } from './issue-queries/list-issues.js';
import { pageLimit } from './issue-queries/page-cursor.js';
import { countReleaseIssues } from './issue-queries/release-issues.js';
import { createRejectedList } from './list-rejected.js';
import { createStoreMeter, type StoreMeterOptions } from './measure-store.js';
import { findStoredId } from './origins/origin-files.js';
import type { RecordReader } from './record/reader/record-reader.js';
import type { ReleaseStates } from './releases/release-states.js';
import { type KnownReleases, listReleases, summarizeRelease } from './releases/summarize-release.js';

/** Sources of a reader; closing the reader leaves them open. */
export interface StoreReaderOptions extends StoreMeterOptions {
  index: IndexSource;
  record: SearchedRecord & Pick<RecordReader, 'originOf'>;
  actions: Pick<IssueActions, 'refresh'>;
  lifecycles: LifecyclesOf;
  access: Access;
  createGrouper: CreateGrouper;
  /** Decisions about suggestions, the last first. */
  decided: () => Promise<readonly DecidedSuggestion[]>;
  /** As the log of releases says now. */
  releases: () => Promise<ReleaseStates>;
  /** Called once for every unreadable raw line that a list left out. */
  onFault?: ((fault: Error) => void) | undefined;
}

/** Implements `FailureReader` over an index and its record. */
export function createStoreReader(options: StoreReaderOptions) {
  const { index, record, directory, actions, lifecycles, plan, createGrouper } = options;
  const meter = createStoreMeter(options);
  const listRejected = createRejectedList(options);
  const onUnreadable = createLineReport((fault) => options.onFault?.(fault));
  let search: IssueSearch | undefined;
  let groupers: { readonly plan: GroupingPlan; readonly find: FindGrouper } | undefined;
  let isClosed = false;

  const explain: IssueExamplesOptions['explain'] = (payload, receivedAtMicros, version) =>
    groupersNow()(receivedAtMicros, version).grouper.fingerprint(payload);
  const examples = createIssueExamples({ index, record, explain, report: onUnreadable });

  /** Runs a query on the current index, and repeats it once if a document was replaced during the read. */
  async function read<Result>(
    query: (content: IndexContent, lives: IssueLifecycles) => Promise<Result>,
  ): Promise<Result> {
    if (isClosed) throw new Fault('READER_CLOSED', 'This reader is closed; open another one.');
    await Promise.all([index.refresh(), actions.refresh()]);
    const { content } = index;
    try {
      return await query(content, lifecycles(content));
    } catch (error) {
      if (!isIndexUnusable(error) || !(await index.recover(error, content))) throw error;
      return await query(index.content, lifecycles(index.content));
    }
  }

  async function knownReleases(content: IndexContent, lives: IssueLifecycles): Promise<KnownReleases> {
    const counts = content.segments.releases;
    const issues = await countReleaseIssues(lives, counts);
    return { counts, states: await options.releases(), issues };
  }

  function groupersNow(): FindGrouper {
    const now = plan();
    if (groupers?.plan !== now) groupers = { plan: now, find: createEventGroupers({ plan: now, createGrouper }) };
    return groupers.find;
  }

  /** The issues of a list. Throws `QUERY_INVALID`. */
  function issuesToList(content: IndexContent, lives: IssueLifecycles, text: string | undefined): ListedIssues {
    const query = parseQuery(text ?? '', 'issues');
    const statuses = new IssueStatuses(lives);
    return { statuses, matches: matchesEverything(query) ? undefined : searchOf(content).matcher(query, statuses) };
  }

  function questionOf(lives: IssueLifecycles): EventQueryContext {
    return { statuses: new IssueStatuses(lives), record, onUnreadable };
  }

  function searchOf(content: IndexContent): IssueSearch {
    if (search?.content !== content) search = new IssueSearch(content);
    return search;
  }

  /** The suggestions that are wanted and not decided yet, most events first. */
  const findSuggestions = (isWanted: (suggestion: Suggestion) => boolean): Promise<Suggestion[]> =>
    read(async (content) => {
      const decided = new Set((await options.decided()).map(({ id }) => id));
      return await listSuggestions(
        content.issues.inOrder.filter((issue) => storedEventsOf(issue) > 0),
        activeGrouping(plan()),
        (issueId, count) => examples.payloadsOf(content, content.issues.get(issueId), count),
        (one) => !decided.has(one.id) && isWanted(one),
      );
    });

  const reader: FailureReader = {
    listIssues: (asked = {}) =>
      read(async (content, lives) => {
        const { issues, nextCursor, total } = await selectIssues(issuesToList(content, lives, asked.query), asked);
        return { issues: issues.map((issue) => summarizeIssue(issue, lives)), next_cursor: nextCursor, total };
      }),

    countIssues: ({ query, me, terms = false } = {}) =>
      read(async (content, lives) => {
        const count = async (text?: string) => await countIssues(issuesToList(content, lives, text), me);
        const counts = await count(query);
        if (!terms) return counts;
        const without: NonNullable<IssueCounts['without']> = [];
        for (const { term, others } of withoutEachTerm(query ?? ''))
          without.push({ term, counts: await count(others) });
        return { ...counts, without };
      }),

    listValues: ({ field: name, query, ...asked }) =>
      read(async (content, lives) => {
        const field = findQueryField(name);
        if (field === undefined || !isListed(field)) {
          throw new Fault('PARAMETER_INVALID', `"${name}" is not a text field of issues.`);
        }
        const listed = issuesToList(content, lives, query);
        const view = searchOf(content).view(new IssueStatuses(lives));
        const valueAt = (ordinal: number) => {
          view.ordinal = ordinal;
          return field.ofIssue?.(view) ?? null;
        };
        return await countValues(listed, valueAt, asked);
      }),

    listIssuesSince: (asked) =>
      read(async (content, lives) => await selectSince(issuesToList(content, lives, ''), asked)),

    listReleases: ({ limit } = {}) =>
      read(async (content, lives) => listReleases(await knownReleases(content, lives), pageLimit(limit))),

    getRelease: (name) =>
      read(async (content, lives) => {
        const known = await knownReleases(content, lives);
        const count = known.counts.find((one) => one.name === name);
        const state = known.states.get(name);
        if (count === undefined && state === undefined) return undefined;
        return { ...summarizeRelease(name, count, known), commit_list: [...(state?.commits ?? [])] };
      }),

    getIssue: (issueId) =>
      read(async (content, lives) => {
        const issue = content.issues.get(issueId);
        if (issue === undefined) return undefined;
        const [survivor = issue] = lives.membersOf(issue);
        const { basis, first } = await examples.firstOf(content, survivor);
        const releaseOf = (row: EventRow): Promise<string | null> => examples.releaseOf(survivor, row);
        const about = { content, lifecycles: lives, shown: lives.shownAs(survivor), first, releaseOf };
        return describeIssue(survivor, basis, lives, await automaticHistory(about));
      }),

    listEvents: (issueId, asked = {}) =>
      read(async (content, lives) => {
        const query = parseQuery(asked.query ?? '', 'events');
        const issue = content.issues.get(issueId);
        if (issue === undefined) return undefined;
        const [survivor = issue, ...others] = lives.membersOf(issue);
        const choice = createEventSelector(query, searchOf(content), questionOf(lives));
        const { events, nextCursor } = await selectEvents(content, [survivor, ...others], choice, asked);
        return { events: events.map(summarizeEvent), next_cursor: nextCursor };
      }),

    summarizeEvents: (issueId, asked = {}) =>
      read(async (content, lives) => {
        const query = parseQuery(asked.query ?? '', 'events');
        const issue = content.issues.get(issueId);
        if (issue === undefined) return undefined;
        const summarized = { query, shown: lives.shownAs(issue), members: lives.membersOf(issue) };
        return await summarizeEvents(searchOf(content), questionOf(lives), summarized, asked);
      }),

    searchEvents: (asked = {}) =>
      read((content, lives) => {
        const rawBytes = async () => (await meter.recordSize(content)).rawBytes;
        return searchEvents(searchOf(content), { ...questionOf(lives), rawBytes }, asked);
      }),

    getEvent: (eventId) =>
      read(async (content, lives) => {
        const found = await findEventOrOrigin(content, eventId, (origin) => findStoredId(options, origin));
        const issue = found && content.issues.inOrder[found.row.ordinal];
        if (found === undefined || issue === undefined) return undefined;
        // As in lists: the issue that it is shown in, with its own fingerprint.
        const { issueId } = lives.shownAs(issue);
        const event = await readEvent(record, found.row, { issueId, fingerprint: issue.fingerprint });
        const { partition, line } = found.row;
        return event && detailEvent(directory, event, await record.originOf(partition, line));
      }),

    listRejected: (asked) => read(() => listRejected(asked)),

    explain: (a, b) =>
      read(async (content, lives) => {
        const one = await examples.find(content, lives, 'a', a);
        const other = await examples.find(content, lives, 'b', b);
        return compareGroupings(one, other, activeGrouping(plan()));
      }),

    suggestions: async ({ service } = {}) => {
      const isOfService = (one: Suggestion): boolean => service === undefined || one.service === service;
      const decided = await options.decided();
      return { suggestions: await findSuggestions(isOfService), decided: decided.filter(isOfService) };
    },

    stats: () => read((content, lives) => meter.stats(content, lives.merged)),

    access: () => read(async () => options.access),

    async close() {
      isClosed = true;
    },
  };
  return { ...reader, findSuggestions };
}
