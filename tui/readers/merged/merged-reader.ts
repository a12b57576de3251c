import type { EventSummaryOptions, FailureReader } from '../../../core/contract/reader.js';
import { Fault } from '../../../core/event/fault.js';
import { type IssueId, toEventId, toIssueId } from '../../../core/event/ids.js';
import type { EventSearchPage, IssueDetail } from '../../../generated/reader-answers.js';
import { canAct, type NamedSource, type SourceReader, type TerminalReader } from '../source.js';
import { KnownDoubles } from './known-doubles.js';
import { mergeEventsSummaries } from './merge-events-summary.js';
import { mergeDetails } from './merge-issues.js';
import { addCounts, mergeStats } from './merge-stats.js';
import { MergedActions, sameIssues } from './merged-actions.js';
import { type EventListing, MergedEventList } from './merged-event-list.js';
import { MergedIssueList } from './merged-issue-list.js';
import { SourceCircle, someTold, type Told } from './source-circle.js';
import { SourceLink, type SourceLinkOptions } from './source-link.js';

const PATIENCE_MS = 1_500;
const MS_LENGTH = '2026-11-21T00:00:00.000'.length;

const SEARCH: EventListing = {
  name: 'search',
  page: async (reader, options) => {
    const { events, next_cursor, scanned, total } = await reader.searchEvents(options);
    return { events, next_cursor, extents: { scanned, total } };
  },
};

/**
 * Several sources as one: the same issue of several is one. A source that does not answer is left out, marked lost, and tried again; `COLLECTOR_UNREACHABLE` (retryable) where none
 * answers, or where one that does not may have what is asked for. A cursor is of this reader's sources. Counts over lists are at most so many, as an issue may stand in several
 * sources. Opens each source when it is first read.
 */
export function createMergedReader(
  sources: readonly NamedSource[],
  { nowMs = Date.now, patienceMs = PATIENCE_MS }: Partial<SourceLinkOptions> = {},
): TerminalReader {
  const circle = new SourceCircle(sources.map((source) => new SourceLink(source, { nowMs, patienceMs })));
  const doubles = new KnownDoubles();
  const issueList = new MergedIssueList(circle, doubles);
  const eventList = new MergedEventList(circle);
  const actions = new MergedActions(circle);

  /** Of the sources that have it; empty where none does. */
  async function findIssue(issueId: IssueId): Promise<readonly Told<IssueDetail>[]> {
    const found = await circle.find(`issue ${issueId}`, (reader) => reader.getIssue(issueId));
    const same = new Set(
      sameIssues(
        found.map(({ value }) => value),
        issueId,
      ),
    );
    const holders = found.filter(({ value }) => same.has(value));
    if (holders.length > 0)
      doubles.learnOwners(
        issueId,
        holders.map(({ link }) => link.name),
      );
    return holders;
  }

  async function askAccess(): Promise<boolean> {
    const { told } = await circle.askAll('access', canAct);
    for (const { link, value } of told) link.learn({ canAct: value });
    return told.some(({ value }) => value);
  }

  return {
    listIssues: (options = {}) => issueList.page(options),
    async countIssues(options = {}) {
      const { told } = await circle.askAll(`counts ${JSON.stringify(options)}`, (reader) =>
        reader.countIssues(options),
      );
      return addCounts(told.map(({ value }) => value));
    },
    async getIssue(issueId) {
      const [first, ...others] = (await findIssue(issueId)).map(({ value }) => value);
      return first && mergeDetails([first, ...others]);
    },
    async listEvents(issueId, options = {}) {
      const page = (reader: SourceReader, asked: typeof options) => reader.listEvents(issueId, asked);
      const found = await eventList.page({ name: `events ${issueId}`, page }, options);
      return found && { events: found.events, next_cursor: found.nextCursor };
    },
    async summarizeEvents(issueId, options = {}) {
      const holders = await findIssue(issueId);
      if (holders.length === 0) return undefined;
      const whole = holders.length === 1 ? options : { ...rangeOf(holders), ...options };
      const question = {
        key: `summary ${issueId} ${JSON.stringify(whole)}`,
        call: (reader: SourceReader) => reader.summarizeEvents(issueId, whole),
      };
      const round = someTold(
        await circle.askEach(
          holders.map(({ link }) => link),
          () => question,
        ),
      );
      const [first, ...others] = round.told.flatMap(({ value }) => value ?? []);
      return first && mergeEventsSummaries([first, ...others]);
    },
    async searchEvents(options = {}): Promise<EventSearchPage> {
      const found = await eventList.page(SEARCH, options);
      if (found === undefined) throw new Fault('COLLECTOR_UNREACHABLE', 'No source was searched.', { retryable: true });
      const { events, nextCursor, extents, isComplete } = found;
      return { events, next_cursor: nextCursor, ...extents, is_complete: isComplete };
    },
    async getEvent(eventId) {
      return (await circle.find(`event ${eventId}`, (reader) => reader.getEvent(eventId)))[0]?.value;
    },
    explain: (a, b) => explainBy(circle, a, b),
    async stats() {
      const { told } = await circle.askAll('stats', (reader) => reader.stats());
      for (const { link, value } of told) link.learn({ stats: value });
      // Only their lines wait for it.
      if (told.some(({ link }) => link.state.canAct === undefined)) void askAccess().catch(() => undefined);
      const [first, ...others] = told.map(({ link, value }) => ({ name: link.name, stats: value }));
      if (first === undefined)
        throw new Fault('COLLECTOR_UNREACHABLE', 'There is no source to read.', { retryable: true });
      return mergeStats([first, ...others]);
    },
    access: async () => ({ actions: await askAccess() }),
    act: (issueId, request) => actions.act(issueId, request),
    async close() {
      await Promise.all(circle.links.map((link) => link.close()));
    },
    sources: () => circle.links.map(({ state }) => state),
    ownersOf: (issueId) => doubles.ownersOf(issueId),
  };
}

/** From the first event of the issue in any source to after the last one, so that all count by the same parts. */
function rangeOf(holders: readonly Told<IssueDetail>[]): Required<Pick<EventSummaryOptions, 'from' | 'to'>> {
  const firsts = holders.map(({ value }) => value.first_seen).sort();
  const lasts = holders.map(({ value }) => value.last_seen).sort();
  const lastMs = Date.parse(`${lasts.at(-1)?.slice(0, MS_LENGTH)}Z`);
  return { from: firsts[0] ?? '', to: new Date(lastMs + 1).toISOString() };
}

/** By the first source that knows both. */
async function explainBy(circle: SourceCircle, a: string, b: string): ReturnType<FailureReader['explain']> {
  const faults: unknown[] = [];
  const key = `explain ${JSON.stringify([a, b])}`;
  const answers = await Promise.all(
    circle.links.map(async (link) => {
      try {
        const answer = await link.ask(key, (reader) => reader.explain(a, b));
        if ('value' in answer) return answer.value;
        faults.push(answer.fault);
      } catch (error) {
        faults.unshift(error);
      }
      return undefined;
    }),
  );
  const answered = answers.find((answer) => answer !== undefined);
  if (answered !== undefined) return answered;
  const [inA, inB] = await Promise.all([namesOf(circle, a), namesOf(circle, b)]);
  if (inA.length === 0 || inB.length === 0) throw faults[0];
  throw new Fault(
    'EXPLAIN_IN_DIFFERENT_SOURCES',
    `${a.slice(0, 8)} lies in ${inA.join(', ')} and ${b.slice(0, 8)} in ${inB.join(', ')}; only what lies in one source can be compared.`,
  );
}

/** The sources that have an event or an issue of that id. */
async function namesOf(circle: SourceCircle, id: string): Promise<readonly string[]> {
  const [eventId, issueId] = [toEventId(id), toIssueId(id)];
  if (eventId === undefined || issueId === undefined) return [];
  const { told } = await circle.askAll(`either ${id}`, async (reader) => {
    return (await reader.getEvent(eventId)) !== undefined || (await reader.getIssue(issueId)) !== undefined;
  });
  return told.filter(({ value }) => value).map(({ link }) => link.name);
}
