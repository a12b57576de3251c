import { isJsonObject, type JsonObject, type JsonValue, ownValue, setOwnProperty } from '../../../core/event/json.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { copyMembers, jsonInSteps, type Steps } from '../event-processor/steps.js';
import type { AttributePath } from './attribute-path.js';

/** The value at a path; undefined if missing or null. An empty string is a value. */
export function readAttribute(payload: RawPayload, path: AttributePath): JsonValue | undefined {
  switch (path.kind) {
    case 'tag':
      return ownValue(payload.tags, path.name);
    case 'required':
      return payload[path.field];
    case 'nullable':
      return payload[path.field] ?? undefined;
    case 'extra': {
      let value: JsonValue | undefined = payload.extra ?? undefined;
      for (const name of path.names) value = ownValue(value, name);
      return value ?? undefined;
    }
  }
}

/**
 * Sets the value at a path, copying only what changes. Tags and fields store strings: objects as JSON. Creates missing objects in
 * `extra`; returns the same payload if the path crosses a value that is not an object.
 */
export function* writeAttribute(payload: RawPayload, path: AttributePath, value: JsonValue): Steps<RawPayload> {
  switch (path.kind) {
    case 'tag': {
      const tags: Record<string, string> = { ...payload.tags };
      setOwnProperty(tags, path.name, yield* textOf(value));
      return { ...payload, tags };
    }
    case 'required':
    case 'nullable':
      return { ...payload, [path.field]: yield* textOf(value) };
    case 'extra': {
      const extra = yield* written(payload.extra ?? {}, path.names, value);
      return extra === undefined ? payload : { ...payload, extra };
    }
  }
}

/** Removes the value at a path: a required field becomes empty, a nullable one null. Returns the same payload if nothing changes. */
export function* deleteAttribute(payload: RawPayload, path: AttributePath): Steps<RawPayload> {
  if (path.kind === 'required') return payload[path.field] === '' ? payload : { ...payload, [path.field]: '' };
  if (path.kind === 'nullable') return payload[path.field] === null ? payload : { ...payload, [path.field]: null };
  if (path.kind === 'tag') {
    if (!Object.hasOwn(payload.tags, path.name)) return payload;
    const tags = { ...payload.tags };
    delete tags[path.name];
    return { ...payload, tags };
  }
  const extra = payload.extra === null ? undefined : yield* without(payload.extra, path.names);
  return extra === undefined ? payload : { ...payload, extra };
}

function* textOf(value: JsonValue): Steps<string> {
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? yield* jsonInSteps(value) : String(value);
}

function* written(
  object: JsonObject,
  [name, ...rest]: readonly string[],
  value: JsonValue,
): Steps<JsonObject | undefined> {
  if (name === undefined) return undefined;
  let member: JsonValue | undefined = value;
  if (rest.length > 0) {
    const inner = ownValue(object, name) ?? {};
    member = isJsonObject(inner) ? yield* written(inner, rest, value) : undefined;
    if (member === undefined) return undefined;
  }
  const copy = yield* copyMembers(object, Object.keys(object));
  setOwnProperty(copy, name, member);
  return copy;
}

function* without(object: JsonObject, [name, ...rest]: readonly string[]): Steps<JsonObject | undefined> {
  if (name === undefined || !Object.hasOwn(object, name)) return undefined;
  if (rest.length === 0) {
    const copy = yield* copyMembers(object, Object.keys(object));
    delete copy[name];
    return copy;
  }
  const inner = ownValue(object, name);
  const left = isJsonObject(inner) ? yield* without(inner, rest) : undefined;
  if (left === undefined) return undefined;
  const copy = yield* copyMembers(object, Object.keys(object));
  setOwnProperty(copy, name, left);
  return copy;
}
