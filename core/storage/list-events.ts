import { type EventId, toEventId } from '../event/ids.js';
import type { EventListOptions } from '../reader.js';
import { type EventPlace, eventsOf, findEvent, isRemoved } from './index/find-events.js';
import type { IndexContent } from './index/index-content.js';
import type { IssueState } from './index/issue-state.js';
import { decodeCursor, encodeCursor, invalidCursor } from './page-cursor.js';
import { pageLimit } from './page-limit.js';
import { eventIdOf, type ReadEvent } from './read-event.js';
import { settleAll } from './record/settle-all.js';

/** A page of an issue's events, before it is written out for people. */
export interface EventSelection {
  readonly events: readonly ReadEvent[];
  readonly nextCursor: string | null;
}

/** How events are read and chosen. */
export interface EventChoice {
  /** Undefined for an event that cannot be read, which is left out. */
  readonly read: (place: EventPlace) => Promise<ReadEvent | undefined>;
  /** Absent: all match. */
  readonly matches?: ((event: ReadEvent) => boolean) | undefined;
}

/** Events that one page of a query looks at; then it ends, full or not, with a cursor to go on. */
const MAX_SCANNED = 20_000;
const SCAN_STEP = 128;
const PARALLEL_READS = 16;

/**
 * Picks the page of an issue's events that `options` ask for, newest first. A cursor is the last event that was looked at, so events that arrive
 * meanwhile change no later page. Throws `CURSOR_INVALID`, rejects with `INDEX_UNUSABLE`.
 */
export async function selectEvents(
  content: IndexContent,
  issue: IssueState,
  choice: EventChoice,
  options: EventListOptions,
): Promise<EventSelection> {
  const limit = pageLimit(options.limit);
  const list = ['events', issue.issueId, options.query ?? ''];
  const cursorId = options.cursor === undefined ? undefined : idIn(decodeCursor(list, options.cursor));
  // What retention removed is followed by nothing that it left: the oldest goes first.
  if (cursorId !== undefined && isRemoved(content, cursorId)) return { events: [], nextCursor: null };
  const before = cursorId && (await placeOf(content, issue, cursorId));
  const places = eventsOf(content, issue, before);
  const step = choice.matches === undefined ? limit : SCAN_STEP;
  const events: ReadEvent[] = [];
  let last: EventPlace | undefined;
  for (let scanned = 0; events.length < limit && scanned < MAX_SCANNED; scanned += step) {
    const next = await take(places, step);
    const read = await readAll(next, choice.read);
    for (const [index, place] of next.entries()) {
      if (events.length === limit) break;
      last = place;
      const event = read[index];
      if (event !== undefined && choice.matches?.(event) !== false) events.push(event);
    }
    if (next.length < step) break;
  }
  const isLast = last === undefined || (await eventsOf(content, issue, last).next()).done === true;
  return { events, nextCursor: last === undefined || isLast ? null : encodeCursor(list, [eventIdOf(last.row)]) };
}

function idIn([id]: readonly unknown[]): EventId {
  const eventId = typeof id === 'string' ? toEventId(id) : undefined;
  if (eventId === undefined) throw invalidCursor();
  return eventId;
}

async function placeOf(content: IndexContent, issue: IssueState, eventId: EventId): Promise<EventPlace> {
  const place = await findEvent(content, eventId);
  if (place === undefined || place.row.ordinal !== issue.ordinal) throw invalidCursor();
  return place;
}

async function take(places: AsyncGenerator<EventPlace>, count: number): Promise<EventPlace[]> {
  const taken: EventPlace[] = [];
  while (taken.length < count) {
    const next = await places.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

async function readAll(places: readonly EventPlace[], read: EventChoice['read']): Promise<(ReadEvent | undefined)[]> {
  const events: (ReadEvent | undefined)[] = [];
  await settleAll(places.entries(), PARALLEL_READS, async ([index, place]) => {
    events[index] = await read(place);
  });
  return events;
}
