import type { EventSearchPage, EventSummary, IssueDetail, RejectedRecord } from '../../generated/reader-answers.js';
import type { EventSummaryOptions, FailureActions, FailureReader } from '../contract/reader.js';
import { Fault } from '../event/fault.js';
import { type IssueId, toEventId, toIssueId } from '../event/ids.js';
import { pageLimit } from '../storage/issue-queries/page-cursor.js';
import {
  addCounts,
  addValues,
  mergeEventsSummaries,
  mergeReleaseDetails,
  mergeReleases,
  mergeSince,
  mergeStats,
} from './merge-answers.js';
import { mergeDetails } from './merge-issues.js';
import { createMergedActions, sameIssues } from './merged-actions.js';
import { DuplicateIssues, mergedIssuePage } from './merged-issue-list.js';
import { type MergedListing, mergePages } from './merged-pages.js';
import { canAct, type NamedSource, type SourceReader, type SourcesReader, withPeers } from './source.js';
import { requireResult, SourceGroup, type SourceResult } from './source-group.js';
import { SourceLink, type SourceLinkOptions } from './source-link.js';

const WAIT_MS = 1_500;
const MS_LENGTH = '2026-11-21T00:00:00.000'.length;

const SEARCH: MergedListing<EventSummary> = {
  name: 'search',
  keyOf: ({ event_id }) => event_id,
  page: async (reader, options) => {
    const { events: rows, next_cursor: nextCursor, scanned, total } = await reader.searchEvents(options);
    return { rows, nextCursor, extents: { scanned, total } };
  },
};

const REJECTED: MergedListing<RejectedRecord> = {
  name: 'rejected',
  keyOf: ({ rejected_at, id }, source) => `${rejected_at} ${id} ${source}`,
  page: async (reader, options) => {
    const { rejected: rows, next_cursor: nextCursor } = await reader.listRejected(options);
    return { rows, nextCursor };
  },
};

/** Several sources as one. */
export interface MergedReader extends SourcesReader {
  act: FailureActions['act'];
  /** Returns a function that names the sources which answers lacked since. */
  watchLost(): () => readonly string[];
}

/**
 * Merges several sources. A source that does not respond is marked lost and retried; of it only the issues that were read before are
 * listed and counted, or none without `remembersLost`. Calls throw `COLLECTOR_UNREACHABLE` (retryable) if no source responds, or if one that does not may have what is requested. Cursors
 * belong to this set of sources. Totals are upper bounds. Each source is opened at its first read.
 */
export function createMergedReader(
  sources: readonly NamedSource[],
  { nowMs = Date.now, waitMs = WAIT_MS, remembersLost = true }: Partial<SourceLinkOptions> = {},
): MergedReader {
  const group = new SourceGroup(sources.map((source) => new SourceLink(source, { nowMs, waitMs, remembersLost })));
  const duplicates = new DuplicateIssues();
  const { act } = createMergedActions(group);

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
    for (const { link, value } of results) link.recordAccess(value);
    return results.some(({ value }) => value);
  }

  return {
    listIssues: (options = {}) => mergedIssuePage(group, duplicates, options, nowMs()),
    async countIssues(options = {}) {
      const key = `counts ${JSON.stringify(options)}`;
      const query = (link: SourceLink) => link.queryIssues(key, (lists) => lists.countIssues(options));
      const { results } = requireResult(await group.queryEach(group.links, query));
      return addCounts(results.map(({ value }) => value));
    },
    listValues: async (options) =>
      addValues(await group.valuesOf('values', options, (reader) => reader.listValues(options))),
    async listIssuesSince(options) {
      const all = await group.valuesOf('since', options, (reader) => reader.listIssuesSince(options));
      return mergeSince(all, pageLimit(options.limit));
    },
    async listReleases(options = {}) {
      const all = await group.valuesOf('releases', options, (reader) => reader.listReleases(options));
      return mergeReleases(all, pageLimit(options.limit));
    },
    async getRelease(name) {
      const found = await group.find(`release ${name}`, (reader) => reader.getRelease(name));
      const [first, ...others] = found.map(({ value }) => value);
      return first && others.reduce(mergeReleaseDetails, first);
    },
    async getIssue(issueId) {
      const [first, ...others] = (await findIssue(issueId)).map(({ value }) => value);
      return first && mergeDetails([first, ...others]);
    },
    async listEvents(issueId, options = {}) {
      const page: typeof SEARCH.page = async (reader, pageOptions) => {
        const one = await reader.listEvents(issueId, pageOptions);
        return one && { rows: one.events, nextCursor: one.next_cursor };
      };
      const found = await mergePages(group, { ...SEARCH, name: `events ${issueId}`, page }, options);
      return found && { events: found.rows.map(({ row }) => row), next_cursor: found.nextCursor };
    },
    async summarizeEvents(issueId, options = {}) {
      const holders = await findIssue(issueId);
      if (holders.length === 0) return undefined;
      const withRange = holders.length === 1 ? options : { ...rangeOf(holders), ...options };
      const key = `summary ${issueId} ${JSON.stringify(withRange)}`;
      const query = (link: SourceLink) => link.query(key, (reader) => reader.summarizeEvents(issueId, withRange));
      const links = holders.map(({ link }) => link);
      const { results } = requireResult(await group.queryEach(links, query));
      const [first, ...others] = results.flatMap(({ value }) => value ?? []);
      return first && mergeEventsSummaries([first, ...others]);
    },
    async searchEvents(options = {}): Promise<EventSearchPage> {
      const found = await mergePages(group, SEARCH, options);
      if (found === undefined) throw new Fault('COLLECTOR_UNREACHABLE', 'No source is connected.', { retryable: true });
      const { rows, nextCursor, extents, isComplete } = found;
      return { events: rows.map(({ row }) => row), next_cursor: nextCursor, ...extents, is_complete: isComplete };
    },
    async getEvent(eventId) {
      return (await group.find(`event ${eventId}`, (reader) => reader.getEvent(eventId)))[0]?.value;
    },
    async listRejected(options = {}) {
      const found = await mergePages(group, REJECTED, options);
      const rejected = (found?.rows ?? []).map(({ row: { id, receiver, ...record }, source }) => {
        return { id: `${source}/${id}`, receiver: `${source}/${receiver}`, ...record };
      });
      return { rejected, next_cursor: found?.nextCursor ?? null, damaged: 0 };
    },
    explain: (a, b) => explainFrom(group, a, b),
    async suggestions(options = {}) {
      const all = await group.valuesOf('suggestions', options, (reader) => reader.suggestions(options));
      return { suggestions: all.flatMap((one) => one.suggestions), decided: all.flatMap(({ decided }) => decided) };
    },
    async stats() {
      const { results } = requireResult(await group.queryEach(group.links, (link) => link.queryStats()));
      // Only shown in the list of sources, so the call does not wait for it.
      if (results.some(({ link }) => link.state.canAct === undefined)) void queryAccess().catch(() => undefined);
      const [first, ...others] = results.map(({ link, value }) => ({ name: link.name, stats: value }));
      if (first === undefined) throw new Fault('COLLECTOR_UNREACHABLE', 'No source responded.', { retryable: true });
      return mergeStats([first, ...others]);
    },
    access: async () => ({ actions: await queryAccess() }),
    act,
    async decide(...decision) {
      const writable = group.links.filter(({ state }) => state.canAct === true);
      const change = async (reader: SourceReader) => (await reader.decide?.(...decision)) ?? null;
      const decisions = writable.map((link) => link.change(change));
      // Sources without the suggestion refuse.
      return await Promise.any(decisions).catch(({ errors }: AggregateError) => Promise.reject(errors[0]));
    },
    async close() {
      await Promise.all(group.all.map((link) => link.close()));
    },
    sources: () => group.all.flatMap(({ state }) => withPeers(state)),
    watchLost: () => group.watchLost(),
    readOnly: (name) => group.choose(name),
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

async function sourcesWith(group: SourceGroup, id: string): Promise<readonly string[]> {
  const [eventId, issueId] = [toEventId(id), toIssueId(id)];
  if (eventId === undefined || issueId === undefined) return [];
  const { results } = await group.queryAll(`either ${id}`, async (reader) => {
    return (await reader.getEvent(eventId)) !== undefined || (await reader.getIssue(issueId)) !== undefined;
  });
  return results.filter(({ value }) => value).map(({ link }) => link.name);
}
