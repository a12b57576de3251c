import { degradeStatusCode, degradeTags, degradeText } from './degrade-value.js';
import { foldExtra } from './fold-extra.js';
import type { JsonObject } from './json.js';
import type { RawPayload } from './raw-payload.js';
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
