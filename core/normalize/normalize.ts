import type { EventId, FingerprintValue } from '../event/ids.js';

/** What the service itself knows of an event: handed in, because normalize knows no clock. */
export interface Receipt {
  eventId: EventId;
  fingerprint: FingerprintValue;
  /** Microseconds since the epoch. */
  receivedAtMicros: number;
}
