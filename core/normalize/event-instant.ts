import type { RawPayload } from '../event/raw-payload.js';
import type { Instant } from './date-time.js';
import { instantFromMicros, readTimestamp } from './timestamp.js';

/**
 * When the event happened, for first and last seen, trends and sorting: its own time held to its receipt where the sender's clock runs ahead,
 * and the receipt where it names no readable time.
 */
export function eventInstant(payload: Pick<RawPayload, 'timestamp'>, receivedAtMicros: number): Instant {
  const own = payload.timestamp === null ? undefined : readTimestamp(payload.timestamp);
  const received = instantFromMicros(receivedAtMicros);
  if (own === undefined) return received;
  const runsAhead = own.ms > received.ms || (own.ms === received.ms && own.nanos > received.nanos);
  return runsAhead ? received : own;
}
