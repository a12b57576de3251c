import { isJsonObject, type JsonValue } from './json.js';

/**
 * Sets an own property whatever its name: assigning to `__proto__` would change the object's prototype instead, and JSON from outside may hold that key.
 */
export function setOwnProperty<Value>(target: { [key: string]: Value }, key: string, value: Value): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** The value of an own property whatever its name; undefined where the value is no object, or holds none of that name. */
export function ownValue(holder: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined;
}
