import { isJsonObject, type JsonObject, type JsonValue, ownValue, setOwnProperty } from '../../../core/event/json.js';
import { jsonPieces } from '../../../core/event/json-pieces.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { Steps } from '../event-processor/steps.js';
import type { AttributePath } from './attribute-path.js';

/** Members that are copied without a pause: 1,000 take half a millisecond. */
const MEMBERS_AT_ONCE = 1_000;

/** What stands at a path; undefined where nothing does: no such key, or null. An empty text is a value. */
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
 * The payload with a value at a path; only what changes is copied. Tags and fields hold texts: of numbers and booleans their text, of objects their JSON.
 * In `extra` objects are made on the way; the same payload where something else than an object stands there.
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

/** The payload without what stands at a path: a required field becomes an empty text, a nullable one null. The same payload where nothing stands there. */
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

/** A value as the text that a tag holds. */
function* textOf(value: JsonValue): Steps<string> {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return String(value);
  const parts: string[] = [];
  for (const piece of jsonPieces(value)) {
    if (parts.length > 0) yield;
    parts.push(piece);
  }
  return parts.join('');
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
  const copy = yield* copyMembers(object);
  setOwnProperty(copy, name, member);
  return copy;
}

function* without(object: JsonObject, [name, ...rest]: readonly string[]): Steps<JsonObject | undefined> {
  if (name === undefined || !Object.hasOwn(object, name)) return undefined;
  if (rest.length === 0) {
    const copy = yield* copyMembers(object);
    delete copy[name];
    return copy;
  }
  const inner = ownValue(object, name);
  const left = isJsonObject(inner) ? yield* without(inner, rest) : undefined;
  if (left === undefined) return undefined;
  const copy = yield* copyMembers(object);
  setOwnProperty(copy, name, left);
  return copy;
}

/** An object with the same members in the same order. */
function* copyMembers(object: JsonObject): Steps<JsonObject> {
  const keys = Object.keys(object);
  if (keys.length <= MEMBERS_AT_ONCE) return { ...object };
  const copy: JsonObject = {};
  for (const [at, key] of keys.entries()) {
    if (at % MEMBERS_AT_ONCE === 0) yield;
    setOwnProperty(copy, key, object[key] ?? null);
  }
  return copy;
}
