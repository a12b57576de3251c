import type { EventId, FingerprintValue } from './ids.js';
import type { JsonObject } from './json.js';
import type { RawPayload } from './raw-payload.js';

export type EventType = 'log' | 'exception';

/** The event as people see it: the 20 keys of the specification ("Normalized event"), all present. */
export interface NormalizedEvent extends Omit<RawPayload, 'extra' | 'level' | 'timestamp'> {
  event_id: EventId;
  /** Empty if the raw value is null. */
  extra: JsonObject;
  fingerprint: FingerprintValue;
  /** `error` if the raw value is null. */
  level: string;
  /** `YYYY-MM-DDTHH:MM:SS.nnnnnnnnn+00:00`. */
  timestamp: string;
  type: EventType;
}
