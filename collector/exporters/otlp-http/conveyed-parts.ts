import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/event/json.js';
import { RESOURCE_NAMES } from '../../receivers/otlp/faultline-record.js';

/** Parts of `extra.otlp` for which a record has places. */
type Part = 'attributes' | 'body' | 'span' | 'server_span' | 'resource' | 'scope';

/** By part, whether its value comes back from where a record holds it. */
const HOLDS: Readonly<Record<Part, (value: JsonValue, message: string) => boolean>> = {
  attributes: isFilledObject,
  body: (value, message) => value !== null && value !== message,
  span: isFilledObject,
  server_span: isFilledObject,
  resource: (value) => isOwner(value, []) && !namesFields(value),
  scope: (value) => isOwner(value, ['name', 'version']),
};

/** Whether a record says a part in a place of its own, of an event with that message. */
export function isConveyed(part: string, otlp: JsonObject, message: string): boolean {
  const value = Object.hasOwn(otlp, part) ? otlp[part] : undefined;
  if (value === undefined || !Object.hasOwn(HOLDS, part)) return false;
  return HOLDS[part as Part](value, message);
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
