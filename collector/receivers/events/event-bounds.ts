import { Fault } from '../../../core/event/fault.js';

/** The fault for a request with more events than one may have. */
export function tooManyEvents(maxEvents: number): Fault {
  const sentence = `one request takes ${maxEvents} events: send the others in further requests`;
  return new Fault('TOO_MANY_EVENTS', sentence);
}

/** The fault for a body that is one event over the bound. In a list such an event is a rejection. */
export function eventTooLarge(maxEventBytes: number): Fault {
  const sentence = `one event takes ${maxEventBytes} bytes: send less, or many events as application/x-ndjson`;
  return new Fault('EVENT_TOO_LARGE', sentence);
}
