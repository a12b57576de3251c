/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object. Objects made from outside text have own data properties only: `__proto__` is a key like any other. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** True for an object that is no array. Members are not checked: the value comes from `JSON.parse`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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

/**
 * True when no string or key of a value is longer than `maxUnits`, no object or array lies deeper than `levels`, and every number is one that JSON can
 * carry (`1e999` parses to Infinity). Recursion ends at `levels`.
 */
export function isWithinBounds(value: JsonValue, maxUnits: number, levels: number): boolean {
  if (typeof value === 'string') return value.length <= maxUnits;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (!isWithinBounds(item, maxUnits, levels - 1)) return false;
    }
    return true;
  }
  for (const key in value) {
    if (key.length > maxUnits || !isWithinBounds(value[key] ?? null, maxUnits, levels - 1)) return false;
  }
  return true;
}

/** How many levels of objects and arrays a value has, counted to one beyond `most`; any depth, without recursion. */
export function levelsOf(value: JsonValue, most = Number.POSITIVE_INFINITY): number {
  let levels = 0;
  let row: JsonValue[] = [value];
  for (;;) {
    row = row.filter((item) => typeof item === 'object' && item !== null);
    if (row.length === 0 || levels > most) return levels;
    levels++;
    row = row.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
}

/** The same plain value in memory of its own: V8 keeps a whole stack trace alive for a function name that was cut out of it. */
export function ownCopy<Plain>(plain: Plain): Plain {
  return JSON.parse(JSON.stringify(plain));
}
