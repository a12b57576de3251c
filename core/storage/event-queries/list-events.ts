import type { EventListOptions } from '../../contract/reader.js';
import { type EventId, toEventId } from '../../event/ids.js';
import { type EventLocation, findEvent, isRemoved } from '../index/content/find-events.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueState } from '../index/content/issue-state.js';
import { eventIdOf, type ReadEvent } from '../index/read-event.js';
import { decodeCursor, encodeCursor, invalidCursor, pageLimit } from '../issue-queries/page-cursor.js';
import { walkIssues } from './event-cursor.js';
import type { EventSelector } from './event-query.js';
import { scanEvents } from './scan-events.js';

/** Events scanned for one page; it then ends with a cursor, full or not. */
const MAX_SCANNED = 20_000;

/** Selects a page of a shown issue's events, newest first. Throws `CURSOR_INVALID`, rejects with `INDEX_UNUSABLE`. */
export async function selectEvents(
  content: IndexContent,
  members: readonly [IssueState, ...IssueState[]],
  selector: EventSelector,
  options: EventListOptions,
): Promise<{
  readonly events: readonly ReadEvent[];
  readonly nextCursor: string | null;
}> {
  const list = ['events', members[0].issueId, options.query ?? ''];
  const cursorId = options.cursor === undefined ? undefined : idIn(decodeCursor(list, options.cursor));
  // Retention removes the oldest first: nothing follows a removed event.
  if (cursorId !== undefined && isRemoved(content, cursorId)) return { events: [], nextCursor: null };
  const before = cursorId && (await locationOf(content, members, cursorId));
  const bounds = { limit: pageLimit(options.limit), maxEvents: MAX_SCANNED, budgetMs: Number.POSITIVE_INFINITY };
  const { events, last } = await scanEvents(walkIssues(content, members, { before }), selector, bounds);
  const isLast =
    last === undefined || (await walkIssues(content, members, { before: last }).spans.next()).done === true;
  return { events, nextCursor: isLast ? null : encodeCursor(list, [eventIdOf(last.row)]) };
}

function idIn([id]: readonly unknown[]): EventId {
  const eventId = typeof id === 'string' ? toEventId(id) : undefined;
  if (eventId === undefined) throw invalidCursor();
  return eventId;
}

async function locationOf(
  content: IndexContent,
  members: readonly IssueState[],
  eventId: EventId,
): Promise<EventLocation> {
  const location = await findEvent(content, eventId);
  if (location === undefined || !members.some(({ ordinal }) => ordinal === location.row.ordinal)) throw invalidCursor();
  return location;
}
