export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object. Parsed objects have own data properties only: `__proto__` is an ordinary key. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** True for an object that is not an array. Members are not checked: the value comes from `JSON.parse`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON; undefined if the text is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sets an own property of any name: JSON may hold the key `__proto__`, and assigning to it would change the prototype. */
export function setOwnProperty<Value>(target: { [key: string]: Value }, key: string, value: Value): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** The value of an own property; undefined if `holder` is not an object or lacks the property. */
export function ownValue(holder: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined;
}

/** The text; undefined if the value is empty or not a text. */
export function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Does not create a list, unlike `Object.keys`. */
export function hasMembers(value: object): boolean {
  for (const _ in value) return true;
  return false;
}

/** True if no string or key exceeds `maxUnits`, nothing is nested deeper than `levels`, and all numbers are finite (`1e999` parses to Infinity). */
export function isWithinBounds(value: JsonValue, maxUnits: number, levels: number): boolean {
  if (typeof value === 'string') return value.length <= maxUnits;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isWithinBounds(item, maxUnits, levels - 1));
  return Object.keys(value).every(
    (key) => key.length <= maxUnits && isWithinBounds(value[key] ?? null, maxUnits, levels - 1),
  );
}

/** Levels of objects and arrays of a value, counted up to `most` + 1; without recursion, so any depth is safe. */
export function jsonDepth(value: JsonValue, most = Number.POSITIVE_INFINITY): number {
  let levels = 0;
  let row: JsonValue[] = [value];
  for (;;) {
    row = row.filter((item) => typeof item === 'object' && item !== null);
    if (row.length === 0 || levels > most) return levels;
    levels++;
    row = row.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
}

/** A deep copy with strings of its own: V8 keeps a whole stack trace alive for a slice of it. */
export function ownCopy<Plain>(plain: Plain): Plain {
  return JSON.parse(JSON.stringify(plain));
}
