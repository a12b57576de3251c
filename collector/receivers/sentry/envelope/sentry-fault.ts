import { Fault } from '../../../../core/event/fault.js';

/** The fault `ENVELOPE_MALFORMED` for bytes that break the framing, items 13 to 20. */
export function malformedEnvelope(reason: string, cause?: unknown): Fault {
  return new Fault('ENVELOPE_MALFORMED', `the body is no Sentry envelope: ${reason}`, { cause });
}

/** The fault `EVENT_TOO_LARGE` for an event or log item over the bound. */
export function eventTooLarge(maxEventBytes: number): Fault {
  return new Fault(
    'EVENT_TOO_LARGE',
    `one event takes ${maxEventBytes} bytes: send less, for example fewer breadcrumbs`,
  );
}
