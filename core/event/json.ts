/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object. Objects made from outside text have own data properties only: `__proto__` is a key like any other. */
export interface JsonObject {
  [key: string]: JsonValue;
}
