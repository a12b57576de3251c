import type { EventSearchPage, ScanExtent } from '../../../generated/reader-answers.js';
import type { EventListOptions } from '../../contract/reader.js';
import { type IssueId, toEventId, toIssueId } from '../../event/ids.js';
import { parseQuery } from '../../query/parse-query.js';
import type { QueryNode } from '../../query/query-ast.js';
import { receivedRange } from '../../query/value-matcher.js';
import { beginTimeSlice } from '../../time-slice.js';
import { type EventLocation, findEvent, isRemoved } from '../index/content/find-events.js';
import type { IndexContent } from '../index/content/index-content.js';
import { type IssueState, storedEventsOf } from '../index/content/issue-state.js';
import { eventIdOf, summarizeEvent } from '../index/read-event.js';
import type { IssueSearch } from '../issue-queries/issue-search.js';
import type { IssueStatuses } from '../issue-queries/issue-statuses.js';
import { decodeCursor, encodeCursor, invalidCursor, pageLimit } from '../issue-queries/page-cursor.js';
import { type EventWalk, walkEvents, walkIssues } from './event-cursor.js';
import { createEventSelector, type EventQueryContext } from './event-query.js';
import { isAboutIssue } from './indexed-terms.js';
import { scanEvents } from './scan-events.js';

interface EventSearchContext extends EventQueryContext {
  readonly rawBytes: () => Promise<number>;
}

/** A page ends after this time, full or not. */
const BUDGET_MS = 200;

interface Progress {
  /** The last scanned event; absent on the first page. */
  readonly before?: EventLocation;
  readonly scanned: ScanExtent;
  readonly total: ScanExtent;
}

/** Throws `QUERY_INVALID`, `CURSOR_INVALID`; rejects with `INDEX_UNUSABLE`. */
export async function searchEvents(
  search: IssueSearch,
  context: EventSearchContext,
  options: EventListOptions,
): Promise<EventSearchPage> {
  const { content } = search;
  const query = parseQuery(options.query ?? '', 'events');
  const list = ['search', options.query ?? ''];
  const limit = pageLimit(options.limit);
  const progress = await progressOf(content, context, list, options.cursor);
  if (progress === undefined) return endOf([], await extentOf(content, context));
  const { before, scanned, total } = progress;
  const { fromMs, toMs } = receivedRange(query, context.statuses.lifecycles.nowMs);
  const range = { fromMicros: fromMs * 1000, untilMicros: toMs * 1000 };
  const issues = await limitingIssues(query, search, context.statuses);
  const walkFrom = (from: EventLocation | undefined): EventWalk =>
    issues === undefined
      ? { spans: walkEvents(content, { ...range, before: from }) }
      : walkIssues(content, issues, { ...range, before: from });

  const selector = createEventSelector(query, search, context);
  const isContinued = before !== undefined;
  const bounds = { limit, maxEvents: Number.POSITIVE_INFINITY, budgetMs: BUDGET_MS, isContinued };
  const page = await scanEvents(walkFrom(before), selector, bounds);
  const events = page.events.map(summarizeEvent);
  const { last } = page;
  const isEnd = page.isEnd || last === undefined || (await walkFrom(last).spans.next()).done === true;
  if (isEnd) return endOf(events, total);
  const through = { events: scanned.events + page.scanned.events, bytes: scanned.bytes + page.scanned.bytes };
  return {
    events,
    next_cursor: encodeCursor(list, [eventIdOf(last.row), through.events, through.bytes, total.events, total.bytes]),
    scanned: through,
    total,
    is_complete: false,
  };
}

function endOf(events: EventSearchPage['events'], total: ScanExtent): EventSearchPage {
  return { events, next_cursor: null, scanned: total, total, is_complete: true };
}

/** Undefined if retention removed everything after the cursor. */
async function progressOf(
  content: IndexContent,
  context: EventSearchContext,
  list: readonly string[],
  cursor: string | undefined,
): Promise<Progress | undefined> {
  if (cursor === undefined) return { scanned: { events: 0, bytes: 0 }, total: await extentOf(content, context) };
  const [id, ...numbers] = decodeCursor(list, cursor);
  const eventId = typeof id === 'string' ? toEventId(id) : undefined;
  const [events, bytes, allEvents, allBytes] = numbers.filter((number) => typeof number === 'number');
  if (eventId === undefined || events === undefined || bytes === undefined) throw invalidCursor();
  if (allEvents === undefined || allBytes === undefined) throw invalidCursor();
  if (isRemoved(content, eventId)) return undefined;
  const before = await findEvent(content, eventId);
  if (before === undefined) throw invalidCursor();
  return { before, scanned: { events, bytes }, total: { events: allEvents, bytes: allBytes } };
}

async function extentOf(content: IndexContent, { rawBytes }: EventSearchContext): Promise<ScanExtent> {
  return { events: content.segments.events, bytes: await rawBytes() };
}

/** With more issues, or more than one in this many events, scanning all events is faster. */
const MAX_ISSUES = 64;
const MIN_EVENTS_PER_MEMBER_EVENT = 20;
const ISSUES_PER_CLOCK_CHECK = 256;

/** The only issues whose events can match, with those merged into them; undefined if the query does not limit them enough. */
async function limitingIssues(
  query: QueryNode,
  search: IssueSearch,
  statuses: IssueStatuses,
): Promise<readonly IssueState[] | undefined> {
  const terms = (query.kind === 'and' ? query.nodes : [query]).filter(isAboutIssue);
  if (terms.length === 0) return undefined;
  const { issues } = search.content;
  const id = terms.map(issueNamedBy).find((named) => named !== undefined);
  if (id === undefined) return await fewIssues(search, { kind: 'and', nodes: terms }, statuses);
  const issue = issues.get(id);
  return issue === undefined ? [] : membersOf(issue, statuses);
}

/** The issues that match a query, newest first; undefined if they or their events are too many. */
async function fewIssues(
  search: IssueSearch,
  query: QueryNode,
  statuses: IssueStatuses,
): Promise<IssueState[] | undefined> {
  const { issues, segments } = search.content;
  const matches = search.matcher(query, statuses);
  const maxEvents = segments.events / MIN_EVENTS_PER_MEMBER_EVENT;
  const slice = beginTimeSlice();
  const members: IssueState[] = [];
  let events = 0;
  for (const issue of issues.inOrder.toReversed()) {
    const { ordinal } = issue;
    if (ordinal % ISSUES_PER_CLOCK_CHECK === 0 && slice.isOver) await slice.next();
    if (statuses.lifecycles.merged.isHidden(ordinal) || !matches(ordinal)) continue;
    const matching = membersOf(issue, statuses);
    members.push(...matching);
    events += matching.reduce((sum, member) => sum + storedEventsOf(member), 0);
    if (members.length > MAX_ISSUES || events > maxEvents) return undefined;
  }
  return members;
}

/** An issue with those merged into it. */
function membersOf(issue: IssueState, { lifecycles }: IssueStatuses): readonly IssueState[] {
  return lifecycles.merged.membersOf(issue.ordinal) ?? [issue];
}

/** The issue that a term `issue_id:` names exactly. */
function issueNamedBy(term: QueryNode): IssueId | undefined {
  if (term.kind !== 'field' || term.field.name !== 'issue_id' || term.test.kind !== 'pattern') return undefined;
  return term.test.pattern.length === 1 ? toIssueId(term.test.pattern[0]) : undefined;
}
