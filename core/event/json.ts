/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object. Objects made from outside text have own data properties only: `__proto__` is a key like any other. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** True for an object that is no array. The depths are taken on trust: whoever asks has the value from `JSON.parse`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
