import type { EventId, FingerprintValue } from './ids.js';
import type { JsonObject } from './json.js';

export type EventType = 'log' | 'exception';

/** The event as people see it: the 20 keys of the specification ("Normalized event"), all present. */
export interface NormalizedEvent {
  app: string;
  env: string;
  error_name: string;
  event_id: EventId;
  /** Empty if the raw value is null. */
  extra: JsonObject;
  fingerprint: FingerprintValue;
  /** `error` if the raw value is null. */
  level: string;
  message: string;
  method: string | null;
  release: string | null;
  request_id: string | null;
  route: string;
  service: string;
  session_id: string | null;
  stack: string | null;
  status_code: number | null;
  tags: Record<string, string>;
  /** `YYYY-MM-DDTHH:MM:SS.nnnnnnnnn+00:00`. */
  timestamp: string;
  type: EventType;
  user_id: string | null;
}
