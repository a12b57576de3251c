import type { JsonValue } from '../../../core/event/json.js';
import { jsonPieces } from '../../../core/event/json-pieces.js';
import type { FollowedEvent } from '../../../core/storage/following/record-follower.js';
import { visible } from '../sending/visible.js';

const MAX_LINE = 400;
const MAX_FIELD = 4_096;

/** An event on one line. */
export function eventLine({ normalized: event }: FollowedEvent): string {
  const {
    event_id: id,
    level,
    app,
    service,
    env,
    error_name: name,
    message,
    method,
    route,
    status_code: status,
  } = event;
  const request = [method, route, status].filter((part) => part !== null && part !== '').join(' ');
  const what = [name, message].flatMap((part) => (part === '' ? [] : [part.slice(0, MAX_LINE + 1)])).join(': ');
  return visible(`${id} ${level} ${app}/${service} ${env} ${what}${request === '' ? '' : ` (${request})`}`, MAX_LINE);
}

/** An event with every field on a line of its own, in alphabetical order, each value as JSON and cut to 4,096 characters. */
export function eventLines({ normalized, issueId, raw }: FollowedEvent): string {
  const fields = Object.entries({ ...normalized, issue_id: issueId }).sort(([one], [other]) => (one < other ? -1 : 1));
  const lines = fields.map(([key, value]) => `  ${key}: ${visible(jsonBeginning(value), MAX_FIELD)}`);
  return [`Event ${normalized.event_id}`, ...lines, `  raw: ${visible(raw.path, MAX_FIELD)} (line ${raw.line})`].join(
    '\n',
  );
}

/** The JSON of a value as far as it is shown, and more where it goes on. */
function jsonBeginning(value: JsonValue): string {
  let text = '';
  for (const piece of jsonPieces(value)) {
    text += piece;
    if (text.length > MAX_FIELD) break;
  }
  return text.slice(0, MAX_FIELD + 1);
}
