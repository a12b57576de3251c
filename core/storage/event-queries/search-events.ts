import type { EventSearchPage, ScanExtent } from '../../../generated/reader-answers.js';
import type { EventListOptions } from '../../contract/reader.js';
import { toEventId } from '../../event/ids.js';
import { parseQuery } from '../../query/parse-query.js';
import { receivedRange } from '../../query/value-matcher.js';
import { type EventLocation, findEvent, isRemoved } from '../index/content/find-events.js';
import type { IndexContent } from '../index/content/index-content.js';
import { eventIdOf, summarizeEvent } from '../index/read-event.js';
import type { IssueSearch } from '../issue-queries/issue-search.js';
import { decodeCursor, encodeCursor, invalidCursor, pageLimit } from '../issue-queries/page-cursor.js';
import { type EventWalk, walkEvents, walkIssues } from './event-cursor.js';
import { createEventSelector, type EventQueryContext } from './event-query.js';
import { limitingIssues } from './issue-filter.js';
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
  const members = await limitingIssues(query, search, context.statuses);
  const walk = (from: EventLocation | undefined): EventWalk =>
    members === undefined
      ? walkEvents(content, { ...range, before: from })
      : walkIssues(content, members, { ...range, before: from });
  const selector = createEventSelector(query, search, context);
  const isContinued = before !== undefined;
  const bounds = { limit, maxEvents: Number.POSITIVE_INFINITY, budgetMs: BUDGET_MS, isContinued };
  const found = await scanEvents(walk(before), selector, bounds);
  const events = found.events.map(summarizeEvent);
  const isLast = found.isEnd || found.last === undefined || (await walk(found.last).next()) === undefined;
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
