import { Fault, messageOf } from '../../../core/event/fault.js';
import { parseJson } from '../../../core/event/json.js';
import { cutText } from '../../../core/event/text.js';
import { RequestFault } from '../../http/messages/http-fault.js';

const POSITION = /at position (\d{1,10})/;
const MAX_REASON_LENGTH = 200;

/** Why JSON.parse threw the error for this text, and the zero-based byte at which it stopped, if known. */
export function describeJsonError(
  error: unknown,
  text: string,
): { readonly reason: string; readonly position: number | undefined } {
  const message = messageOf(error);
  const units = POSITION.exec(message)?.[1];
  const position = units === undefined ? undefined : Buffer.byteLength(text.slice(0, Number(units)));
  const reason = cutText(message.replace(POSITION, `at byte ${position}`), MAX_REASON_LENGTH);
  return { reason, position };
}

/** Returns the fault for a body for whose text JSON.parse threw the error. */
export function notJson(error: unknown, text: string): RequestFault {
  const { reason, position } = describeJsonError(error, text);
  const hint = isNdjson(text) ? '; it looks like one event per line: send it as application/x-ndjson' : '';
  return malformedJson(reason + hint, position);
}

/** Whether the first of several lines is a JSON text. */
function isNdjson(text: string): boolean {
  const [line, ...rest] = text.trimStart().split('\n', 2);
  return line !== undefined && rest.length > 0 && parseJson(line) !== undefined;
}

/** Returns the fault for a body that is not JSON. */
export function malformedJson(reason: string, position?: number): RequestFault {
  const members = position === undefined ? {} : { position };
  return new RequestFault('MALFORMED_JSON', `the body is not JSON: ${reason}`, { members });
}

/** Returns the fault for a request with more than `maxEvents` events. */
export function tooManyEvents(maxEvents: number): Fault {
  return new Fault('TOO_MANY_EVENTS', `a request may have ${maxEvents} events: send the others in further requests`);
}

/** Returns the fault for a request without events. */
export function emptyBody(): Fault {
  return new Fault('BODY_EMPTY', 'the body is empty: send one event, an array of events, or one event per line');
}
