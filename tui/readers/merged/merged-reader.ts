import type { EventSummaryOptions, FailureReader } from '../../../core/contract/reader.js';
import { Fault } from '../../../core/event/fault.js';
import { type IssueId, toEventId, toIssueId } from '../../../core/event/ids.js';
import { pageLimit } from '../../../core/storage/issue-queries/page-cursor.js';
import type { EventSearchPage, IssueDetail } from '../../../generated/reader-answers.js';
import { canAct, type NamedSource, type SourceReader, type TerminalReader } from '../source.js';
import { DuplicateIssues } from './duplicate-issues.js';
import { mergeEventsSummaries } from './merge-events-summary.js';
import { mergeDetails } from './merge-issues.js';
import { mergeReleases, mergeSince } from './merge-since.js';
import { addCounts, addValues, mergeStats } from './merge-stats.js';
import { MergedActions, sameIssues } from './merged-actions.js';
import { type EventListing, MergedEventList } from './merged-event-list.js';
import { MergedIssueList } from './merged-issue-list.js';
import { requireResult, SourceGroup, type SourceResult } from './source-group.js';
import { SourceLink, type SourceLinkOptions } from './source-link.js';

const WAIT_MS = 1_500;
const MS_LENGTH = '2026-11-21T00:00:00.000'.length;

const SEARCH: EventListing = {
  name: 'search',
  page: async (reader, options) => {
    const { events, next_cursor, scanned, total } = await reader.searchEvents(options);
    return { events, next_cursor, extents: { scanned, total } };
  },
};

/**
 * Merges several sources. A source that does not respond is left out, marked lost and retried. Calls throw
 * `COLLECTOR_UNREACHABLE` (retryable) if no source responds, or if one that does not may have what is requested. Cursors
 * belong to this set of sources. Totals are upper bounds. Each source is opened at its first read.
 */
export function createMergedReader(
  sources: readonly NamedSource[],
  { nowMs = Date.now, waitMs: patienceMs = WAIT_MS }: Partial<SourceLinkOptions> = {},
): TerminalReader {
  const group = new SourceGroup(sources.map((source) => new SourceLink(source, { nowMs, waitMs: patienceMs })));
  const duplicates = new DuplicateIssues();
  const issueList = new MergedIssueList(group, duplicates, nowMs);
  const eventList = new MergedEventList(group);
  const actions = new MergedActions(group);

  async function findIssue(issueId: IssueId): Promise<readonly SourceResult<IssueDetail>[]> {
    const found = await group.find(`issue ${issueId}`, (reader) => reader.getIssue(issueId));
    const details = found.map(({ value }) => value);
    const same = new Set(sameIssues(details, issueId));
    const holders = found.filter(({ value }) => same.has(value));
    const owners = holders.map(({ link }) => link.name);
    if (owners.length > 0) duplicates.recordOwners(issueId, owners);
    return holders;
  }

  async function queryAccess(): Promise<boolean> {
    const { results } = await group.queryAll('access', canAct);
    for (const { link, value } of results) link.recordState({ canAct: value });
    return results.some(({ value }) => value);
  }

  return {
    listIssues: (options = {}) => issueList.page(options),
    async countIssues(options = {}) {
      const key = `counts ${JSON.stringify(options)}`;
      const { results } = await group.queryAll(key, (reader) => reader.countIssues(options));
      return addCounts(results.map(({ value }) => value));
    },
    async listValues(options) {
      const key = `values ${JSON.stringify(options)}`;
      const { results } = await group.queryAll(key, (reader) => reader.listValues(options));
      return addValues(results.map(({ value }) => value));
    },
    async listIssuesSince(options) {
      const key = `since ${JSON.stringify(options)}`;
      const { results } = await group.queryAll(key, (reader) => reader.listIssuesSince(options));
      return mergeSince(
        results.map(({ value }) => value),
        pageLimit(options.limit),
      );
    },
    async listReleases(options = {}) {
      const { results } = await group.queryAll(`releases ${options.limit}`, (reader) => reader.listReleases(options));
      return mergeReleases(
        results.map(({ value }) => value),
        pageLimit(options.limit),
      );
    },
    async getIssue(issueId) {
      const [first, ...others] = (await findIssue(issueId)).map(({ value }) => value);
      return first && mergeDetails([first, ...others]);
    },
    async listEvents(issueId, options = {}) {
      const page = (reader: SourceReader, pageOptions: typeof options) => reader.listEvents(issueId, pageOptions);
      const found = await eventList.page({ name: `events ${issueId}`, page }, options);
      return found && { events: found.events, next_cursor: found.nextCursor };
    },
    async summarizeEvents(issueId, options = {}) {
      const holders = await findIssue(issueId);
      if (holders.length === 0) return undefined;
      const withRange = holders.length === 1 ? options : { ...rangeOf(holders), ...options };
      const request = {
        key: `summary ${issueId} ${JSON.stringify(withRange)}`,
        call: (reader: SourceReader) => reader.summarizeEvents(issueId, withRange),
      };
      const links = holders.map(({ link }) => link);
      const { results } = requireResult(await group.queryEach(links, () => request));
      const [first, ...others] = results.flatMap(({ value }) => value ?? []);
      return first && mergeEventsSummaries([first, ...others]);
    },
    async searchEvents(options = {}): Promise<EventSearchPage> {
      const found = await eventList.page(SEARCH, options);
      if (found === undefined) throw new Fault('COLLECTOR_UNREACHABLE', 'No source is connected.', { retryable: true });
      const { events, nextCursor, extents, isComplete } = found;
      return { events, next_cursor: nextCursor, ...extents, is_complete: isComplete };
    },
    async getEvent(eventId) {
      return (await group.find(`event ${eventId}`, (reader) => reader.getEvent(eventId)))[0]?.value;
    },
    explain: (a, b) => explainFrom(group, a, b),
    async suggestions(options = {}) {
      const key = `suggestions ${JSON.stringify(options)}`;
      const { results } = await group.queryAll(key, (reader) => reader.suggestions(options));
      return {
        suggestions: results.flatMap(({ value }) => value.suggestions),
        decided: results.flatMap(({ value }) => value.decided),
      };
    },
    async stats() {
      const { results } = await group.queryAll('stats', (reader) => reader.stats());
      for (const { link, value } of results) link.recordState({ stats: value });
      // Only shown in the list of sources, so the call does not wait for it.
      if (results.some(({ link }) => link.state.canAct === undefined)) void queryAccess().catch(() => undefined);
      const [first, ...others] = results.map(({ link, value }) => ({ name: link.name, stats: value }));
      if (first === undefined) throw new Fault('COLLECTOR_UNREACHABLE', 'No source responded.', { retryable: true });
      return mergeStats([first, ...others]);
    },
    access: async () => ({ actions: await queryAccess() }),
    act: (issueId, request) => actions.act(issueId, request),
    async decide(...decision) {
      const writable = group.links.filter(({ state }) => state.canAct === true);
      const decisions = writable.map((link) =>
        link.change(async (reader) => (await reader.decide?.(...decision)) ?? null),
      );
      // Sources without the suggestion refuse.
      return await Promise.any(decisions).catch(({ errors }: AggregateError) => Promise.reject(errors[0]));
    },
    async close() {
      await Promise.all(group.links.map((link) => link.close()));
    },
    sources: () => group.links.map(({ state }) => state),
    ownersOf: (issueId) => duplicates.ownersOf(issueId),
  };
}

/** The range of the issue over all sources, so that all histograms have the same buckets. */
function rangeOf(holders: readonly SourceResult<IssueDetail>[]): Required<Pick<EventSummaryOptions, 'from' | 'to'>> {
  const firsts = holders.map(({ value }) => value.first_seen).sort();
  const lasts = holders.map(({ value }) => value.last_seen).sort();
  const lastMs = Date.parse(`${lasts.at(-1)?.slice(0, MS_LENGTH)}Z`);
  return { from: firsts[0] ?? '', to: new Date(lastMs + 1).toISOString() };
}

/** Returns the comparison of the first source that has both. */
async function explainFrom(group: SourceGroup, a: string, b: string): ReturnType<FailureReader['explain']> {
  const faults: unknown[] = [];
  const key = `explain ${JSON.stringify([a, b])}`;
  const comparisons = await Promise.all(
    group.links.map(async (link) => {
      try {
        const response = await link.query(key, (reader) => reader.explain(a, b));
        if ('value' in response) return response.value;
        faults.push(response.fault);
      } catch (error) {
        faults.unshift(error);
      }
      return undefined;
    }),
  );
  const comparison = comparisons.find((found) => found !== undefined);
  if (comparison !== undefined) return comparison;
  const [inA, inB] = await Promise.all([sourcesWith(group, a), sourcesWith(group, b)]);
  if (inA.length === 0 || inB.length === 0) throw faults[0];
  throw new Fault(
    'EXPLAIN_IN_DIFFERENT_SOURCES',
    `${a.slice(0, 8)} is in ${inA.join(', ')} and ${b.slice(0, 8)} in ${inB.join(', ')}; both must be in one source to be compared.`,
  );
}

/** Returns the names of the sources that have an event or issue with this id. */
async function sourcesWith(group: SourceGroup, id: string): Promise<readonly string[]> {
  const [eventId, issueId] = [toEventId(id), toIssueId(id)];
  if (eventId === undefined || issueId === undefined) return [];
  const { results } = await group.queryAll(`either ${id}`, async (reader) => {
    return (await reader.getEvent(eventId)) !== undefined || (await reader.getIssue(issueId)) !== undefined;
  });
  return results.filter(({ value }) => value).map(({ link }) => link.name);
}
