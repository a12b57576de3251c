import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/event/json.js';

/** Nothing, as an object. */
const NONE: JsonObject = Object.freeze({});
/** Names of one SDK or another for levels that have a common one (item 42). */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['warn', 'warning'],
  ['log', 'info'],
]);
const STATUS = /^[1-5]\d\d$/;

/** The value of a key that we name; undefined where the value holds no such key. Not for names from outside: `ownValue` is. */
export function at(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}

/** The text of a scalar; undefined for a blank one and for what is no scalar. */
export function asText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** The object itself; an empty one for anything else. */
export function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : NONE;
}

/** The items of a list, which SDKs send bare, under `values`, or as a single object (item 44). */
export function asValues(value: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value)) return [];
  const values = Object.hasOwn(value, 'values') ? (value['values'] ?? []) : value;
  return Array.isArray(values) ? values : [values];
}

/** The level of an event; `error` when it names none. */
export function eventLevel(level: JsonValue | undefined): string {
  const name = asText(level)?.trim().toLowerCase() ?? 'error';
  return OTHER_NAMES.get(name) ?? name;
}

/** The first of several values that is an HTTP status code, as a number or as text; null when none is. */
export function firstStatus(candidates: readonly (JsonValue | undefined)[]): number | null {
  for (const candidate of candidates) {
    if (typeof candidate !== 'number' && typeof candidate !== 'string') continue;
    if (STATUS.test(String(candidate))) return Number(candidate);
  }
  return null;
}
