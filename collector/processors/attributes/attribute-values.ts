import { isJsonObject, type JsonObject, type JsonValue, ownValue, setOwnProperty } from '../../../core/event/json.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { copyMembers, jsonInSteps, type Steps } from '../event-processor/steps.js';
import type { AttributePath } from './attribute-path.js';

/** The value at a path; undefined if missing or null. An empty string is a value. */
export function readAttribute(payload: RawPayload, path: AttributePath): JsonValue | undefined {
  switch (path.kind) {
    case 'tag':
      return ownValue(payload.tags, path.name);
    case 'field':
      return payload[path.field] ?? undefined;
    case 'extra': {
      let value: JsonValue | undefined = payload.extra ?? undefined;
      for (const name of path.names) value = ownValue(value, name);
      return value ?? undefined;
    }
  }
}

/**
 * Sets the value at a path, or removes it if undefined, copying only what changes. Tags and fields store strings: objects as JSON; a removed required
 * field becomes empty. Creates missing objects in `extra`; returns the same payload if nothing changes or the path crosses a value that is not an object.
 */
export function* writeAttribute(
  payload: RawPayload,
  path: AttributePath,
  value: JsonValue | undefined,
): Steps<RawPayload> {
  if (path.kind === 'extra') {
    const extra = yield* withMember(payload.extra ?? {}, path.names, value);
    return extra === undefined ? payload : { ...payload, extra };
  }
  const text = value === undefined ? undefined : yield* textOf(value);
  if (path.kind === 'field') {
    const written = text ?? path.empty;
    return payload[path.field] === written ? payload : { ...payload, [path.field]: written };
  }
  if (text === undefined && !Object.hasOwn(payload.tags, path.name)) return payload;
  const tags = { ...payload.tags };
  if (text === undefined) delete tags[path.name];
  else setOwnProperty(tags, path.name, text);
  return { ...payload, tags };
}

function* textOf(value: JsonValue): Steps<string> {
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? yield* jsonInSteps(value) : String(value);
}

/** A copy with another value at a path, or without it if undefined; undefined if there is nothing to change. */
function* withMember(
  object: JsonObject,
  [name, ...rest]: readonly string[],
  value: JsonValue | undefined,
): Steps<JsonObject | undefined> {
  if (name === undefined || (value === undefined && !Object.hasOwn(object, name))) return undefined;
  let member = value;
  if (rest.length > 0) {
    const inner = ownValue(object, name) ?? {};
    member = isJsonObject(inner) ? yield* withMember(inner, rest, value) : undefined;
    if (member === undefined) return undefined;
  }
  const copy = yield* copyMembers(object, Object.keys(object));
  if (member === undefined) delete copy[name];
  else setOwnProperty(copy, name, member);
  return copy;
}
