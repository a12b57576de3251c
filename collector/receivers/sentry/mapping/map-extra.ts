import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from '../../../../core/event/json.js';

/** How the mapping read an item: `extra.sentry.mapping`. */
export interface MappingFacts {
  readonly project_id: string;
  readonly [fact: string]: JsonValue | undefined;
}

/** What of an item has no field of its own, to which how it was read is added: `extra.sentry`. Facts that are undefined are left out. */
export function sentryExtra(rest: JsonObject, facts: MappingFacts): JsonObject {
  const mapping: JsonObject = {};
  for (const name of Object.keys(facts)) {
    const fact = facts[name];
    if (fact !== undefined) mapping[name] = fact;
  }
  const sent = rest['mapping'];
  if (sent !== undefined) mapping['original'] = sent;
  rest['mapping'] = mapping;
  return rest;
}

/** The `extra` of a payload: what the user set, at the top, so that it is found under its own name, and `sentry`. */
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

/** A shallow copy of an item without what lies in a field of the payload. */
export function without(item: JsonObject, isInField: (key: string, value: JsonValue) => boolean): JsonObject {
  const rest: JsonObject = {};
  for (const key of Object.keys(item)) {
    const value = item[key] ?? null;
    if (!isInField(key, value)) setOwnProperty(rest, key, value);
  }
  return rest;
}
