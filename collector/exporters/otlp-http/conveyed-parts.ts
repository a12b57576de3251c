import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/event/json.js';
import { RESOURCE_NAMES } from '../../otlp/faultline-record.js';

/** By part of `extra.otlp` for which a record has places, whether its value comes back from there. */
const HOLDS: ReadonlyMap<string, (value: JsonValue, message: string) => boolean> = new Map([
  ['attributes', isFilledObject],
  ['body', (value: JsonValue, message: string) => value !== null && value !== message],
  ['span', isFilledObject],
  ['server_span', isFilledObject],
  ['resource', (value: JsonValue) => isOwner(value, []) && !namesFields(value)],
  ['scope', (value: JsonValue) => isOwner(value, ['name', 'version'])],
]);

/** Whether a record says a part in a place of its own, of an event with that message. */
export function isConveyed(part: string, otlp: JsonObject, message: string): boolean {
  const value = Object.hasOwn(otlp, part) ? otlp[part] : undefined;
  return value !== undefined && HOLDS.get(part)?.(value, message) === true;
}

/** Members of `extra.otlp` that a record has no place for. */
export function otherParts(otlp: JsonObject, message: string): JsonObject {
  return Object.fromEntries(Object.entries(otlp).filter(([part]) => !isConveyed(part, otlp, message)));
}

function isFilledObject(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).length > 0;
}

/** Resources and scopes: attributes, an address of a schema, and further texts. */
function isOwner(value: JsonValue, texts: readonly string[]): value is JsonObject {
  if (!isFilledObject(value)) return false;
  return Object.entries(value).every(([key, member]) => {
    if (key === 'attributes') return isFilledObject(member);
    return (key === 'schema_url' || texts.includes(key)) && typeof member === 'string' && member !== '';
  });
}

function namesFields({ attributes }: JsonObject): boolean {
  return isJsonObject(attributes) && Object.keys(attributes).some((key) => RESOURCE_NAMES.has(key));
}
