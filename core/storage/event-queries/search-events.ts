import type { EventSearchPage, ScanExtent } from '../../../generated/reader-answers.js';
import type { EventListOptions } from '../../contract/reader.js';
import { toEventId, toIssueId } from '../../event/ids.js';
import { isOfIssue } from '../../query/match-query.js';
import { parseQuery } from '../../query/parse-query.js';
import type { QueryNode } from '../../query/query-ast.js';
import { receivedRange } from '../../query/value-matcher.js';
import { beginTimeSlice, inTimeSlices } from '../../time-slice.js';
import { type EventLocation, findEvent, isRemoved } from '../index/content/find-events.js';
import type { IndexContent } from '../index/content/index-content.js';
import { type IssueState, storedEventsOf } from '../index/content/issue-state.js';
import { eventIdOf, summarizeEvent } from '../index/read-event.js';
import type { IssueSearch } from '../issue-queries/issue-search.js';
import type { IssueStatuses } from '../issue-queries/issue-statuses.js';
import { decodeCursor, encodeCursor, invalidCursor, pageLimit } from '../issue-queries/page-cursor.js';
import { type EventWalk, walkEvents, walkIssues } from './event-cursor.js';
import { createEventSelector, type EventQueryContext } from './event-query.js';
import { createFileSearch, type SearchFiles } from './file-search.js';
import { type EventSelector, scanEvents } from './scan-events.js';

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
  const members = await limitingIssues(query, search, context.statuses);
  const selector = createEventSelector(query, search, context);
  const searchFiles = members === undefined ? await fileSearchFor(search, context, selector) : undefined;
  const walk = (from: EventLocation | undefined, searchFiles?: SearchFiles): EventWalk =>
    members === undefined
      ? { spans: walkEvents(content, { ...range, before: from }, searchFiles) }
      : walkIssues(content, members, { ...range, before: from });
  const isContinued = before !== undefined;
  const bounds = { limit, maxEvents: Number.POSITIVE_INFINITY, budgetMs: BUDGET_MS, isContinued };
  const found = await scanEvents(walk(before, searchFiles), selector, bounds);
  const events = found.events.map(summarizeEvent);
  const isLast = found.isEnd || found.last === undefined || (await walk(found.last).spans.next()).done === true;
  const last = isLast ? undefined : found.last;
  if (last === undefined) return endOf(events, total);
  const through = { events: scanned.events + found.scanned, bytes: scanned.bytes + found.scannedBytes };
  return {
    events,
    next_cursor: encodeCursor(list, [eventIdOf(last.row), through.events, through.bytes, total.events, total.bytes]),
    scanned: through,
    total,
    is_complete: false,
  };
}

/** Undefined without a piece of text that all matches hold. */
async function fileSearchFor(
  { content, buffers }: IssueSearch,
  { record }: EventSearchContext,
  { prefilter }: EventSelector,
): Promise<SearchFiles | undefined> {
  if (prefilter?.required === undefined) return undefined;
  const { piece, isTitled } = prefilter.required;
  let isInTitle = false;
  if (isTitled !== undefined) {
    await inTimeSlices(content.issues.inOrder.length, (ordinal) => {
      isInTitle ||= isTitled(ordinal);
    });
  }
  return isInTitle ? undefined : createFileSearch(content, { record, buffers }, piece);
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

/** The only issues whose events can match; undefined if the query does not limit them enough. */
async function limitingIssues(
  query: QueryNode,
  search: IssueSearch,
  statuses: IssueStatuses,
): Promise<IssueState[] | undefined> {
  const nodes = (query.kind === 'and' ? query.nodes : [query]).filter(isAboutIssue);
  if (nodes.length === 0) return undefined;
  const { issues, segments } = search.content;
  const { merged } = statuses.lifecycles;
  const named = nodes.map(issueNamedBy).find((id) => id !== undefined);
  if (named !== undefined) {
    const issue = issues.get(named);
    return issue === undefined ? [] : [...(merged.membersOf(issue.ordinal) ?? [issue])];
  }
  const matches = search.matcher({ kind: 'and', nodes }, statuses);
  const mostEvents = segments.events / MIN_EVENTS_PER_MEMBER_EVENT;
  const slice = beginTimeSlice();
  const members: IssueState[] = [];
  let events = 0;
  for (let ordinal = issues.inOrder.length - 1; ordinal >= 0; ordinal -= 1) {
    if (ordinal % ISSUES_PER_CLOCK_CHECK === 0 && slice.isOver) await slice.next();
    if (merged.isHidden(ordinal) || !matches(ordinal)) continue;
    const issue = issues.inOrder[ordinal];
    for (const member of merged.membersOf(ordinal) ?? (issue === undefined ? [] : [issue])) {
      members.push(member);
      events += storedEventsOf(member);
    }
    if (members.length > MAX_ISSUES || events > mostEvents) return undefined;
  }
  return members;
}

/** Whether a term has the same result for all events of an issue. */
function isAboutIssue(node: QueryNode): boolean {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.nodes.length > 0 && node.nodes.every(isAboutIssue);
    case 'not':
      return isAboutIssue(node.node);
    case 'field':
      return isOfIssue(node.field);
    case 'text':
      return false;
  }
}

function issueNamedBy(node: QueryNode): ReturnType<typeof toIssueId> {
  if (node.kind !== 'field' || node.field.name !== 'issue_id' || node.test.kind !== 'pattern') return undefined;
  return node.test.pattern.length === 1 ? toIssueId(node.test.pattern[0]) : undefined;
}
