import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from '../json.js';
import { RAW_PAYLOAD_KEYS, type RawPayload } from '../raw-payload.js';
import { addNote, type Repairs } from './repairs.js';

/** Values for events without these names. */
export interface PayloadDefaults {
  readonly app?: string | undefined;
  readonly service?: string | undefined;
  readonly env?: string | undefined;
}

/** A payload whose types are not checked yet. */
type PayloadCandidate = Record<keyof RawPayload, unknown>;

/** Brings an event to the 17 keys: fills missing ones, converts values of a wrong type where nothing is lost, and moves unknown keys into `extra`. */
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

/** The sender's `extra` with the unknown top-level keys; where both hold a name, `extra` wins and the other goes to `repairs.topLevel`. A value that is not an object is unchanged. */
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

/** Reason of the note `VALUE_MOVED`. */
export const MOVED_REASON = 'wrong type, kept under extra.faultline.original';
const INTEGER_TEXT = /^-?\d{1,15}$/;

/** A nullable text field: text, the text of a number or boolean, or null with the value kept in `repairs.originals`. */
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

/** `status_code`: an integer, also one written as text, or null with the value kept in `repairs.originals`. */
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

/** `tags`: numbers and booleans become text, nulls are dropped, objects and arrays go to `repairs.originals`. A value that is not an object stays for the check to reject. */
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
