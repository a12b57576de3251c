import { readPages } from '../../core/contract/read-pages.js';
import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { type EventId, type IssueId, toEventId, toIssueId } from '../../core/event/ids.js';
import { shortEventId, toShortEventId } from '../../core/event/short-event-id.js';
import { failureTitle } from '../../core/issues/failure-title.js';
import type { EventSummary } from '../../generated/reader-answers.js';

const ID_PREFIX = /^[0-9a-f]{8}[0-9a-f-]{0,27}$/i;
const MAX_LISTED = 10;

/** Resolves an issue id or a prefix of 8 characters. Faults: `ARGUMENT_INVALID` (malformed, or ambiguous with a list), `ISSUE_NOT_FOUND`. */
export async function findIssueId(reader: FailureReader, typed: string): Promise<IssueId> {
  const issueId = toIssueId(typed);
  if (issueId !== undefined) return issueId;
  if (!ID_PREFIX.test(typed))
    throw new Fault('ARGUMENT_INVALID', `"${typed}" is not an issue id. See faultline issues.`);
  const { issues, total } = await reader.listIssues({ query: `issue_id:${typed.toLowerCase()}*`, limit: MAX_LISTED });
  const [issue] = issues;
  if (issue === undefined) throw issueNotFound(typed);
  if (total === 1) return issue.issue_id;
  const lines = issues.map(({ issue_id: id, error_name, message }) => `  ${id}  ${failureTitle(error_name, message)}`);
  throw new Fault('ARGUMENT_INVALID', [`${total} issues start with ${typed}:`, ...lines].join('\n'));
}

/** The Fault `ISSUE_NOT_FOUND` of an issue id or prefix. */
export function issueNotFound(id: string): Fault {
  return new Fault('ISSUE_NOT_FOUND', `No issue ${id}. See faultline issues.`);
}

/** Resolves an event id or a short one. Faults: `ARGUMENT_INVALID` (malformed, or ambiguous with a list), `EVENT_NOT_FOUND`. */
export async function findEventId(reader: FailureReader, typed: string): Promise<EventId> {
  const eventId = toEventId(typed);
  if (eventId !== undefined) return eventId;
  const shortId = toShortEventId(typed);
  if (shortId === undefined)
    throw new Fault('ARGUMENT_INVALID', `"${typed}" is not an event id. See faultline events.`);
  const query = `event_id:*-${shortId.replace('-', '-*-')}*`;
  const found: EventSummary[] = [];
  for await (const page of readPages((cursor) => reader.searchEvents({ query, limit: MAX_LISTED, cursor }))) {
    // The first digits may also be those of another part of an id.
    found.push(...page.events.filter(({ event_id: id }) => shortEventId(id) === shortId));
    if (found.length > MAX_LISTED) break;
  }
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
