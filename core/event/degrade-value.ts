import { isJsonObject, type JsonObject, type JsonValue } from './json.js';
import { setOwnProperty } from './own-property.js';
import { addNote, type Repairs } from './repairs.js';

/** Why a value is not in its field. */
export const MOVED_REASON = 'cannot stand here and was kept under extra.faultline.original';
const INTEGER_TEXT = /^-?\d{1,15}$/;

/** What a nullable text field holds: text, the text of a number or boolean, else null with the value kept aside. */
export function degradeText(field: string, value: JsonValue | undefined, repairs: Repairs): string | null {
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
export function degradeStatusCode(value: JsonValue | undefined, repairs: Repairs): number | null {
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
export function degradeTags(value: JsonValue | undefined, repairs: Repairs): JsonValue {
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
