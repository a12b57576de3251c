import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { type EventId, toEventId } from '../../core/event/ids.js';
import { shortEventId, toShortEventId } from '../../core/event/short-event-id.js';
import { failureTitle } from '../../core/issues/failure-title.js';
import type { EventSummary } from '../../generated/reader-answers.js';
import { detailText } from '../format/event/detail-view.js';
import { eventMarkdown } from '../format/export/markdown-event.js';
import { chooseFormat, type DetailFormat, type FormattedOptions, runPrinting } from './printing-command.js';
import { print, printJson, printJsonLines } from './text-output.js';

export interface EventOptions extends FormattedOptions<DetailFormat> {
  reader: FailureReader;
  eventId: string;
}

/** Prints one event: as text (also into a pipe), NDJSON, Markdown, or the JSON of the reading API. Returns the exit code. */
export function runEvent(options: EventOptions): Promise<number> {
  const { reader, json, stdout, stderr } = options;
  return runPrinting(stderr, async () => {
    const format = json ? chooseFormat(options) : (options.format ?? 'table');
    const eventId = toEventId(options.eventId) ?? (await findByShortId(reader, options.eventId));
    const event = await reader.getEvent(eventId);
    if (event === undefined) throw eventNotFound(eventId);
    if (format === 'document') await printJson(stdout, event);
    else if (format === 'ndjson') await printJsonLines(stdout, [event]);
    else await print(stdout, format === 'markdown' ? eventMarkdown(event) : detailText(event));
  });
}

const MAX_LISTED = 10;

/** Throws `ARGUMENT_INVALID` for a text that is not a short id, or for one of several events, which it lists; and `EVENT_NOT_FOUND`. */
async function findByShortId(reader: FailureReader, typed: string): Promise<EventId> {
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

function eventNotFound(id: string): Fault {
  return new Fault('EVENT_NOT_FOUND', `No event ${id}. See faultline events.`);
}
