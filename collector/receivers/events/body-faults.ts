import { Fault } from '../../../core/event/fault.js';
import { RequestFault } from '../../http/messages/http-fault.js';

const POSITION = /at position (\d{1,10})/;
const MAX_REASON_LENGTH = 200;

/** A JSON text that does not parse: why, and the zero-based byte where the parser stopped, when it says so. */
export interface JsonError {
  readonly reason: string;
  readonly position: number | undefined;
}

/** Reads what JSON.parse threw for this text. */
export function readJsonError(error: unknown, text: string): JsonError {
  const message = error instanceof Error ? error.message : String(error);
  const units = POSITION.exec(message)?.[1];
  const position = units === undefined ? undefined : Buffer.byteLength(text.slice(0, Number(units)));
  const reason = message.replace(POSITION, `at byte ${position}`).slice(0, MAX_REASON_LENGTH);
  return { reason, position };
}

/** The fault for a whole body that is not JSON. */
export function malformedJson(reason: string, position?: number): RequestFault {
  const members = position === undefined ? {} : { position };
  return new RequestFault('MALFORMED_JSON', `the body is not JSON: ${reason}`, { members });
}

/** The fault for a request with more events than one may have. */
export function tooManyEvents(maxEvents: number): Fault {
  const sentence = `one request takes ${maxEvents} events: send the others in further requests`;
  return new Fault('TOO_MANY_EVENTS', sentence);
}

/** The fault for a request without any event. */
export function emptyBody(): Fault {
  return new Fault('BODY_EMPTY', 'the body is empty: send one event, an array of events, or one event per line');
}
