import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from '../json.js';
import { RAW_PAYLOAD_KEYS, type RawPayload } from '../raw-payload.js';
import { addNote, type Repairs } from './repairs.js';

/** What an event gets whose sender left the name out, or null. */
export interface PayloadDefaults {
  readonly app?: string | undefined;
  readonly service?: string | undefined;
  readonly env?: string | undefined;
}

/** A payload in all but its types, which the check has yet to see. */
type PayloadCandidate = Record<keyof RawPayload, unknown>;

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

/** Why a value is not in its field. */
export const MOVED_REASON = 'cannot stand here and was kept under extra.faultline.original';
const INTEGER_TEXT = /^-?\d{1,15}$/;

/** What a nullable text field holds: text, the text of a number or boolean, else null with the value kept aside. */
function degradeText(field: string, value: JsonValue | undefined, repairs: Repairs): string | null {
  if (value === undefined || value === null || typeof value === 'string') return value ?? null;
  if (typeof value === 'object') {
    setOwnProperty(repairs.originals, field, value);
    addNote(repairs, 'VALUE_MOVED', [field], MOVED_REASON);
    return null;
  }
  addNote(repairs, 'VALUE_CONVERTED', [field], `was a ${typeof value} and became text`);
  return String(value);
}

/** What `status_code` holds: an integer, the integer that a text says, else null with the value kept aside. */
function degradeStatusCode(value: JsonValue | undefined, repairs: Repairs): number | null {
  if (value === undefined || value === null) return null;
  if (Number.isSafeInteger(value)) return Number(value);
  if (typeof value === 'string' && INTEGER_TEXT.test(value)) {
    addNote(repairs, 'VALUE_CONVERTED', ['status_code'], 'was text and became a number');
    return Number(value);
  }
  setOwnProperty(repairs.originals, 'status_code', value);
  addNote(repairs, 'VALUE_MOVED', ['status_code'], MOVED_REASON);
  return null;
}

/**
 * What `tags` holds: an empty object for none; numbers and booleans as their text, nulls left out, objects and arrays kept aside.
 * What is no object comes back as it is, for the check to reject.
 */
function degradeTags(value: JsonValue | undefined, repairs: Repairs): JsonValue {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value) || Object.values(value).every((tag) => typeof tag === 'string')) return value;
  const tags: JsonObject = {};
  const originals: JsonObject = {};
  for (const [key, tag] of Object.entries(value)) {
    if (tag === null) {
      addNote(repairs, 'TAG_LEFT_OUT', ['tags', key], 'was null and was left out');
    } else if (typeof tag === 'object') {
      setOwnProperty(originals, key, tag);
      addNote(repairs, 'VALUE_MOVED', ['tags', key], MOVED_REASON);
    } else {
      if (typeof tag !== 'string')
        addNote(repairs, 'VALUE_CONVERTED', ['tags', key], `was a ${typeof tag} and became text`);
      setOwnProperty(tags, key, String(tag));
    }
  }
  if (Object.keys(originals).length > 0) setOwnProperty(repairs.originals, 'tags', originals);
  return tags;
}
