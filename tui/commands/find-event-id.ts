import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { type EventId, toEventId } from '../../core/event/ids.js';
import { shortEventId, toShortEventId } from '../../core/event/short-event-id.js';
import { failureTitle } from '../../core/issues/failure-title.js';
import type { EventSummary } from '../../generated/reader-answers.js';

const MAX_LISTED = 10;

/**
 * Resolves an event id or a short one. Throws `ARGUMENT_INVALID` for another text and for a short id of several events, which it lists; and
 * `EVENT_NOT_FOUND` if no event has the short id.
 */
export async function findEventId(reader: FailureReader, typed: string): Promise<EventId> {
  const eventId = toEventId(typed);
  if (eventId !== undefined) return eventId;
  const shortId = toShortEventId(typed);
  if (shortId === undefined)
    throw new Fault('ARGUMENT_INVALID', `"${typed}" is not an event id. See faultline events.`);
  const query = `event_id:*-${shortId.replace('-', '-*-')}*`;
  const found: EventSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await reader.searchEvents({ query, limit: MAX_LISTED, ...(cursor !== undefined && { cursor }) });
    // The first digits may also be those of another part of an id.
    found.push(...page.events.filter(({ event_id: id }) => shortEventId(id) === shortId));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && found.length <= MAX_LISTED);
  const [only, ...others] = found;
  if (only === undefined) throw eventNotFound(shortId);
  if (others.length === 0) return only.event_id;
  const lines = found
    .slice(0, MAX_LISTED)
    .map(
      ({ event_id: id, timestamp: time, error_name, message }) =>
        `  ${id}  ${time}  ${failureTitle(error_name, message)}`,
    );
  throw new Fault('ARGUMENT_INVALID', [`Several events are called ${shortId}; give the full id:`, ...lines].join('\n'));
}

/** The Fault `EVENT_NOT_FOUND` of an id or a short id. */
export function eventNotFound(id: string): Fault {
  return new Fault('EVENT_NOT_FOUND', `No event ${id}. See faultline events.`);
}
