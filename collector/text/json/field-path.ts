import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/event/json.js';

/** The value at a path whose parts are joined by points: under the whole path as a key, or nested. Undefined when there is none. */
export function valueAt(object: JsonObject, path: string): JsonValue | undefined {
  if (Object.hasOwn(object, path)) return object[path];
  let value: JsonValue | undefined = object;
  for (const part of path.split('.')) {
    if (Array.isArray(value)) value = part === '0' ? value[0] : undefined;
    else if (isJsonObject(value)) value = Object.hasOwn(value, part) ? value[part] : undefined;
    else return undefined;
  }
  return value;
}

/** Removes the value at a path, and the objects that are empty without it. What lies in an array stays. */
export function removeAt(object: JsonObject, path: string): void {
  if (Object.hasOwn(object, path)) {
    delete object[path];
    return;
  }
  const point = path.indexOf('.');
  if (point === -1) return;
  const head = path.slice(0, point);
  const inner = Object.hasOwn(object, head) ? object[head] : undefined;
  if (!isJsonObject(inner)) return;
  removeAt(inner, path.slice(point + 1));
  if (Object.keys(inner).length === 0) delete object[head];
}
