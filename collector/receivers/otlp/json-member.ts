import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/event/json.js';

/** A member's two spellings: that of the specification, and that of the protocol's definition, which some senders write. */
export type MemberName = readonly [camelCase: string, snakeCase: string];

/** A member under either spelling; undefined when it is absent or null, which mean the same. */
export function memberOf(object: JsonObject, [camelCase, snakeCase]: MemberName): JsonValue | undefined {
  return object[camelCase] ?? object[snakeCase] ?? undefined;
}

/** A member that holds a message; an empty one when it holds anything else. */
export function messageOf(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

/** A member that holds a list; an empty one when it holds anything else. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
