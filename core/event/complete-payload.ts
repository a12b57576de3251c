import { degradeStatusCode, degradeTags, degradeText } from './degrade-value.js';
import { isJsonObject, type JsonObject, type JsonValue } from './json.js';
import { setOwnProperty } from './own-property.js';
import { RAW_PAYLOAD_KEYS, type RawPayload } from './raw-payload.js';
import type { Repairs } from './repairs.js';

/** What an event gets whose sender left the name out, or null. */
export interface PayloadDefaults {
  readonly app?: string | undefined;
  readonly service?: string | undefined;
  readonly env?: string | undefined;
}

/** A payload in all but its types, which the check has yet to see. */
export type PayloadCandidate = Record<keyof RawPayload, unknown>;

/** Brings an event to the 17 keys: absent ones are filled, values of a wrong type degraded where nothing is lost by it, unknown keys folded into `extra`. */
export function completePayload(event: JsonObject, defaults: PayloadDefaults, repairs: Repairs): PayloadCandidate {
  return {
    app: event['app'] ?? defaults.app ?? null,
    env: event['env'] ?? defaults.env ?? null,
    error_name: event['error_name'] ?? null,
    extra: foldExtra(event, repairs),
    level: degradeText('level', event['level'], repairs),
    message: event['message'] ?? null,
    method: degradeText('method', event['method'], repairs),
    release: degradeText('release', event['release'], repairs),
    request_id: degradeText('request_id', event['request_id'], repairs),
    route: event['route'] ?? null,
    service: event['service'] ?? defaults.service ?? null,
    session_id: degradeText('session_id', event['session_id'], repairs),
    stack: degradeText('stack', event['stack'], repairs),
    status_code: degradeStatusCode(event['status_code'], repairs),
    tags: degradeTags(event['tags'], repairs),
    timestamp: degradeText('timestamp', event['timestamp'], repairs),
    user_id: degradeText('user_id', event['user_id'], repairs),
  };
}

const KNOWN_KEYS: ReadonlySet<string> = new Set(RAW_PAYLOAD_KEYS);

/**
 * The `extra` of an event: the sender's own, and the top-level keys that a payload does not have, under their own names.
 * Where the sender's extra holds such a name already, it wins and the top-level value is kept aside. What is no object comes back as it is.
 */
function foldExtra(event: JsonObject, repairs: Repairs): JsonValue {
  const own = event['extra'] ?? null;
  const unknownKeys = Object.keys(event).filter((key) => !KNOWN_KEYS.has(key) && event[key] !== undefined);
  if (unknownKeys.length === 0 || (own !== null && !isJsonObject(own))) return own;

  const extra: JsonObject = { ...own };
  for (const key of unknownKeys) {
    const isTaken = own !== null && Object.hasOwn(own, key);
    setOwnProperty(isTaken ? repairs.topLevel : extra, key, event[key] ?? null);
  }
  return extra;
}
