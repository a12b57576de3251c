import type { EventListOptions } from '../../contract/reader.js';
import { type EventId, toEventId } from '../../event/ids.js';
import { eventIdOf, type ReadEvent } from '../events/read-event.js';
import { type EventLocation, findEvent, isRemoved } from '../index/content/find-events.js';
import type { IndexContent } from '../index/content/index-content.js';
import type { IssueState } from '../index/content/issue-state.js';
import { decodeCursor, encodeCursor, invalidCursor, pageLimit } from '../issue-queries/page-cursor.js';
import { walkIssues } from './event-cursor.js';
import { type EventSelector, scanEvents } from './scan-events.js';

/** A page of an issue's events, before it is written out for people. */
export interface EventSelection {
  readonly events: readonly ReadEvent[];
  readonly nextCursor: string | null;
}

/** Events that one page of a query looks at; then it ends, full or not, with a cursor to go on. */
const MAX_SCANNED = 20_000;

/**
 * Picks the page of the events of one issue, or of those that are shown as one, that `options` ask for, newest first; the first of `members` is the one that is
 * shown. A cursor is the last event that was looked at, so events that arrive meanwhile change no later page. Throws `CURSOR_INVALID`, rejects with `INDEX_UNUSABLE`.
 */
export async function selectEvents(
  content: IndexContent,
  members: readonly [IssueState, ...IssueState[]],
  selector: EventSelector,
  options: EventListOptions,
): Promise<EventSelection> {
  const list = ['events', members[0].issueId, options.query ?? ''];
  const cursorId = options.cursor === undefined ? undefined : idIn(decodeCursor(list, options.cursor));
  // What retention removed is followed by nothing that it left: the oldest goes first.
  if (cursorId !== undefined && isRemoved(content, cursorId)) return { events: [], nextCursor: null };
  const before = cursorId && (await locationOf(content, members, cursorId));
  const bounds = { limit: pageLimit(options.limit), maxEvents: MAX_SCANNED, budgetMs: Number.POSITIVE_INFINITY };
  const { events, last } = await scanEvents(walkIssues(content, members, { before }), selector, bounds);
  const isLast = last === undefined || (await walkIssues(content, members, { before: last }).next()) === undefined;
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
  const index = await findEvent(content, eventId);
  if (index === undefined || !members.some(({ ordinal }) => ordinal === index.row.ordinal)) throw invalidCursor();
  return index;
}
