import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from '../../../../core/event/json.js';

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
