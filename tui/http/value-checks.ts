import { type FingerprintValue, toEventId, toIssueId } from '../../core/event/ids.js';
import type { JsonObject, JsonValue } from '../../core/event/json.js';
import { type Check, isObject, isParsed, isString, orNull } from './check.js';

const FINGERPRINT = /^[0-9a-f]{32}$/;

/** The id of an issue. */
export const isIssueId = isParsed(toIssueId, 'a UUID');
/** The id of an event. */
export const isEventId = isParsed(toEventId, 'a UUID');
/** A fingerprint in full. */
export const isFingerprint: Check<FingerprintValue> = (value, at, mismatch): value is FingerprintValue =>
  (typeof value === 'string' && FINGERPRINT.test(value)) || mismatch.at(at, '32 hexadecimal characters');
/** A JSON object, whatever it holds. */
export const isJsonObject: Check<JsonObject> = (value, at, mismatch): value is JsonObject =>
  isObject(value) || mismatch.at(at, 'an object');
/** Whatever `JSON.parse` makes is a JSON value; only an absent key is none. */
export const isJsonValue: Check<JsonValue> = (value, at, mismatch): value is JsonValue =>
  value !== undefined || mismatch.at(at, 'present');
/** A text, or null where there is none. */
export const isText = orNull(isString);
