import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from '../../../../core/event/json.js';
import { findLevel, levelOnScale } from '../../../../core/event/validate/level-in-record.js';

const NONE: JsonObject = Object.freeze({});
const DEFAULT_LEVEL = 'error';
const STATUS = /^[1-5]\d\d$/;

/** Returns the value of a constant key; undefined without it. Use `ownValue` for keys from outside. */
export function at(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}

/** Returns a scalar as text; undefined for blank text and other values. */
export function asText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Returns the text, number or boolean of a list with nothing else, as which R encodes each. */
export function scalarOf(value: JsonValue): JsonValue {
  const item = Array.isArray(value) && value.length === 1 ? (value[0] ?? null) : null;
  return typeof item === 'object' ? value : item;
}

/** Returns the first member of an object that is a scalar as text. */
export function firstText(value: JsonValue | undefined, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const text = asText(at(value, key));
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Returns an object itself, and an empty one for other values. */
export function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : NONE;
}

/** Returns the items of a list, which SDKs send bare, under `values`, or as a single object. */
export function asValues(value: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value)) return [];
  const values = Object.hasOwn(value, 'values') ? (value['values'] ?? []) : value;
  return Array.isArray(values) ? values : [values];
}

/** Returns the level of an event, whose numbers are those of Python; without one, the level that other members tell; default `error`. */
export function eventLevel(event: JsonObject): string {
  const text = asText(event['level'])?.trim().toLowerCase();
  if (text !== undefined && !Number.isFinite(Number(text))) return text;
  return levelOnScale('python', text) ?? findLevel((name) => at(event, name))?.level ?? DEFAULT_LEVEL;
}

/** Returns the first value that is an HTTP status code, a number or text; null without one. */
export function firstStatus(candidates: readonly (JsonValue | undefined)[]): number | null {
  for (const candidate of candidates) {
    if (typeof candidate !== 'number' && typeof candidate !== 'string') continue;
    if (STATUS.test(String(candidate))) return Number(candidate);
  }
  return null;
}

/** Returns `extra.sentry`: members of an item without a field, and how it was mapped. */
export function sentryExtra(rest: JsonObject, facts: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const mapping = present(facts);
  const sent = rest['mapping'];
  if (sent !== undefined) mapping['original'] = sent;
  rest['mapping'] = mapping;
  return rest;
}

/** Returns the `extra` of a payload: the user's members at the top level, and `sentry`. */
export function extraOf(own: JsonValue | undefined, sentry: JsonObject): JsonObject {
  if (!isJsonObject(own)) {
    return { sentry: own === undefined || own === null ? sentry : withOwn(sentry, own) };
  }
  // A user's own `sentry` gives way.
  return { ...own, sentry: Object.hasOwn(own, 'sentry') ? withOwn(sentry, { sentry: own['sentry'] ?? null }) : sentry };
}

function withOwn(sentry: JsonObject, own: JsonValue): JsonObject {
  return { ...sentry, extra: own };
}

/** Returns the members that are neither undefined nor null. */
export function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return without(members, (_, value) => value === null);
}

/** Returns a shallow copy of an item without the members that a payload field holds. */
export function without(
  item: Readonly<Record<string, JsonValue | undefined>>,
  isInField: (key: string, value: JsonValue) => boolean,
): JsonObject {
  const rest: JsonObject = {};
  for (const key of Object.keys(item)) {
    const value = item[key] ?? null;
    if (!isInField(key, value)) setOwnProperty(rest, key, value);
  }
  return rest;
}
