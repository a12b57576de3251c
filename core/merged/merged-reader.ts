import type {
  Access,
  ActionRequest,
  EventDetail,
  EventPage,
  EventSearchPage,
  EventSummary,
  EventsSummary,
  FieldValues,
  GroupingComparison,
  IssueCounts,
  IssueDetail,
  IssuePage,
  IssuesSince,
  RegroupResult,
  RejectedPage,
  RejectedRecord,
  ReleaseDetail,
  Releases,
  Stats,
  Suggestions,
} from '../../generated/reader-answers.js';
import type {
  EventListOptions,
  EventSummaryOptions,
  FailureActions,
  FieldValueOptions,
  IssueCountOptions,
  IssueListOptions,
  IssuesSinceOptions,
} from '../contract/reader.js';
import { Fault } from '../event/fault.js';
import { type EventId, type IssueId, toEventId, toIssueId } from '../event/ids.js';
import { pageLimit } from '../storage/issue-queries/page-cursor.js';
import type { Decision, RegroupOptions } from '../storage/regroup/regrouping.js';
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
import { MergedActions, sameIssues } from './merged-actions.js';
import { DuplicateIssues, mergedIssuePage } from './merged-issue-list.js';
import { type MergedListing, mergePages } from './merged-pages.js';
import {
  canAct,
  type NamedSource,
  type SourceReader,
  type SourceState,
  type SourcesReader,
  withPeers,
} from './source.js';
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
  return new MergedSources(sources, { nowMs, waitMs, remembersLost });
}

class MergedSources implements MergedReader {
  readonly #group: SourceGroup;
  readonly #nowMs: () => number;
  readonly #duplicates = new DuplicateIssues();
  readonly #actions: MergedActions;

  constructor(sources: readonly NamedSource[], options: SourceLinkOptions) {
    this.#group = new SourceGroup(sources.map((source) => new SourceLink(source, options)));
    this.#nowMs = options.nowMs;
    this.#actions = new MergedActions(this.#group);
  }

  listIssues(options: IssueListOptions = {}): Promise<IssuePage> {
    return mergedIssuePage(this.#group, this.#duplicates, options, this.#nowMs());
  }

  async countIssues(options: IssueCountOptions = {}): Promise<IssueCounts> {
    const key = `counts ${JSON.stringify(options)}`;
    const query = (link: SourceLink) => link.queryIssues(key, (lists) => lists.countIssues(options));
    const { results } = requireResult(await this.#group.queryEach(this.#group.links, query));
    return addCounts(results.map(({ value }) => value));
  }

  async listValues(options: FieldValueOptions): Promise<FieldValues> {
    return addValues(await this.#group.valuesOf('values', options, (reader) => reader.listValues(options)));
  }

  async listIssuesSince(options: IssuesSinceOptions): Promise<IssuesSince> {
    const all = await this.#group.valuesOf('since', options, (reader) => reader.listIssuesSince(options));
    return mergeSince(all, pageLimit(options.limit));
  }

  async listReleases(options: Pick<IssueListOptions, 'limit'> = {}): Promise<Releases> {
    const all = await this.#group.valuesOf('releases', options, (reader) => reader.listReleases(options));
    return mergeReleases(all, pageLimit(options.limit));
  }

  async getRelease(name: string): Promise<ReleaseDetail | undefined> {
    const results = await this.#group.find(`release ${name}`, (reader) => reader.getRelease(name));
    const [first, ...others] = results.map(({ value }) => value);
    return first && others.reduce(mergeReleaseDetails, first);
  }

  async getIssue(issueId: IssueId): Promise<IssueDetail | undefined> {
    const [first, ...others] = (await this.#findIssue(issueId)).map(({ value }) => value);
    return first && mergeDetails([first, ...others]);
  }

  async listEvents(issueId: IssueId, options: EventListOptions = {}): Promise<EventPage | undefined> {
    const listing: MergedListing<EventSummary> = {
      name: `events ${issueId}`,
      keyOf: SEARCH.keyOf,
      page: async (reader, pageOptions) => {
        const page = await reader.listEvents(issueId, pageOptions);
        return page && { rows: page.events, nextCursor: page.next_cursor };
      },
    };
    const merged = await mergePages(this.#group, listing, options);
    return merged && { events: merged.rows.map(({ row }) => row), next_cursor: merged.nextCursor };
  }

  async summarizeEvents(issueId: IssueId, options: EventSummaryOptions = {}): Promise<EventsSummary | undefined> {
    const holders = await this.#findIssue(issueId);
    if (holders.length === 0) return undefined;
    const withRange = holders.length === 1 ? options : { ...rangeOf(holders), ...options };
    const key = `summary ${issueId} ${JSON.stringify(withRange)}`;
    const query = (link: SourceLink) => link.query(key, (reader) => reader.summarizeEvents(issueId, withRange));
    const links = holders.map(({ link }) => link);
    const { results } = requireResult(await this.#group.queryEach(links, query));
    const [first, ...others] = results.flatMap(({ value }) => value ?? []);
    return first && mergeEventsSummaries([first, ...others]);
  }

  async searchEvents(options: EventListOptions = {}): Promise<EventSearchPage> {
    const merged = await mergePages(this.#group, SEARCH, options);
    if (merged === undefined) throw noSource('No source is connected.');
    const { rows, nextCursor, extents, isComplete } = merged;
    return { events: rows.map(({ row }) => row), next_cursor: nextCursor, ...extents, is_complete: isComplete };
  }

  async getEvent(eventId: EventId): Promise<EventDetail | undefined> {
    return (await this.#group.find(`event ${eventId}`, (reader) => reader.getEvent(eventId)))[0]?.value;
  }

  async listRejected(options: EventListOptions = {}): Promise<RejectedPage> {
    const merged = await mergePages(this.#group, REJECTED, options);
    const rejected = (merged?.rows ?? []).map(({ row: { id, receiver, ...record }, source }) => {
      return { id: `${source}/${id}`, receiver: `${source}/${receiver}`, ...record };
    });
    return { rejected, next_cursor: merged?.nextCursor ?? null, damaged: 0 };
  }

  explain(a: string, b: string): Promise<GroupingComparison> {
    return explainFrom(this.#group, a, b);
  }

  async suggestions(options: { service?: string } = {}): Promise<Suggestions> {
    const all = await this.#group.valuesOf('suggestions', options, (reader) => reader.suggestions(options));
    return {
      suggestions: all.flatMap(({ suggestions }) => suggestions),
      decided: all.flatMap(({ decided }) => decided),
    };
  }

  async stats(): Promise<Stats> {
    const { results } = requireResult(await this.#group.queryEach(this.#group.links, (link) => link.queryStats()));
    // Only shown in the list of sources, so the call does not wait for it.
    if (results.some(({ link }) => link.state.canAct === undefined)) void this.#canAct().catch(() => undefined);
    const [first, ...others] = results.map(({ link, value }) => ({ name: link.name, stats: value }));
    if (first === undefined) throw noSource('No source responded.');
    return mergeStats([first, ...others]);
  }

  async access(): Promise<Access> {
    return { actions: await this.#canAct() };
  }

  act(issueId: IssueId, request: ActionRequest): Promise<IssueDetail> {
    return this.#actions.act(issueId, request);
  }

  async decide(
    id: string,
    decision: Decision,
    options?: RegroupOptions & { by?: string | null },
  ): Promise<RegroupResult | null> {
    const writable = this.#group.links.filter(({ state }) => state.canAct === true);
    const change = async (reader: SourceReader) => (await reader.decide?.(id, decision, options)) ?? null;
    const decisions = writable.map((link) => link.change(change));
    // Sources without the suggestion refuse.
    return await Promise.any(decisions).catch(({ errors }: AggregateError) => Promise.reject(errors[0]));
  }

  sources(): readonly SourceState[] {
    return this.#group.all.flatMap(({ state }) => withPeers(state));
  }

  watchLost(): () => readonly string[] {
    return this.#group.watchLost();
  }

  readOnly(name: string | undefined): void {
    this.#group.choose(name);
  }

  ownersOf(issueId: IssueId): readonly string[] {
    return this.#duplicates.ownersOf(issueId);
  }

  async close(): Promise<void> {
    await Promise.all(this.#group.all.map((link) => link.close()));
  }

  async #findIssue(issueId: IssueId): Promise<readonly SourceResult<IssueDetail>[]> {
    const results = await this.#group.find(`issue ${issueId}`, (reader) => reader.getIssue(issueId));
    const same = new Set(
      sameIssues(
        results.map(({ value }) => value),
        issueId,
      ),
    );
    const holders = results.filter(({ value }) => same.has(value));
    const owners = holders.map(({ link }) => link.name);
    if (owners.length > 0) this.#duplicates.recordOwners(issueId, owners);
    return holders;
  }

  async #canAct(): Promise<boolean> {
    const { results } = await this.#group.queryAll('access', canAct);
    for (const { link, value } of results) link.recordAccess(value);
    return results.some(({ value }) => value);
  }
}

function noSource(sentence: string): Fault {
  return new Fault('COLLECTOR_UNREACHABLE', sentence, { retryable: true });
}

/** The range of the issue over all sources, so that all histograms have the same buckets. */
function rangeOf(holders: readonly SourceResult<IssueDetail>[]): Required<Pick<EventSummaryOptions, 'from' | 'to'>> {
  const firsts = holders.map(({ value }) => value.first_seen).sort();
  const lasts = holders.map(({ value }) => value.last_seen).sort();
  const lastMs = Date.parse(`${lasts.at(-1)?.slice(0, MS_LENGTH)}Z`);
  return { from: firsts[0] ?? '', to: new Date(lastMs + 1).toISOString() };
}

async function explainFrom(group: SourceGroup, a: string, b: string): Promise<GroupingComparison> {
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
  const comparison = comparisons.find((answer) => answer !== undefined);
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
