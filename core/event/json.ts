import { mayHoldHalves } from '../../config/values/well-formed-json.js';

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object. Parsed objects have own data properties only: `__proto__` is an ordinary key. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** True for an object that is not an array. Members are not checked: the value comes from `JSON.parse`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON, with U+FFFD for halves of surrogate pairs, which earlier versions wrote; undefined if the text is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return parseWellFormed(text).value;
  } catch {
    return undefined;
  }
}

/** The value of a JSON text, and whether halves of surrogate pairs in it were replaced. */
export interface WellFormedJson {
  readonly value: JsonValue;
  readonly isChanged: boolean;
}

/** `parseJson` that throws JSON.parse's SyntaxError, and tells whether there were halves. */
export function parseWellFormed(text: string): WellFormedJson {
  const holder = [JSON.parse(text)];
  const isChanged = mayHoldHalves(text) && replaceHalves(holder);
  return { value: holder[0], isChanged };
}

/**
 * Writes U+FFFD for each half of a surrogate pair in the texts and keys within a list, which changes. Returns whether there was one.
 * Without recursion, so any depth is safe.
 */
export function replaceHalves(list: JsonValue[]): boolean {
  let isChanged = false;
  const waiting: (JsonValue[] | JsonObject)[] = [list];
  const replaced = (member: JsonValue): JsonValue => {
    const value = withoutHalves(member);
    isChanged ||= value !== member;
    if (typeof value === 'object' && value !== null) waiting.push(value);
    return value;
  };
  for (let holder = waiting.pop(); holder !== undefined; holder = waiting.pop()) {
    // Object.entries takes twice as long for many keys, and much longer for lists.
    if (Array.isArray(holder)) {
      for (const [index, member] of holder.entries()) holder[index] = replaced(member);
    } else {
      for (const key of Object.keys(holder)) {
        const member = holder[key] ?? null;
        const value = replaced(member);
        if (value !== member) setOwnProperty(holder, key, value);
      }
    }
  }
  return isChanged;
}

/** Replaces halves in a text, or in the keys of an object; the same value if there are none. */
function withoutHalves(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed();
  return isJsonObject(value) && !Object.keys(value).every((key) => key.isWellFormed()) ? withKeys(value) : value;
}

/** Keys that become equal are numbered, so that no member is lost. */
function withKeys(object: JsonObject): JsonObject {
  const copy: JsonObject = {};
  let number = 1;
  for (const key of Object.keys(object)) {
    const replaced = key.toWellFormed();
    let name = replaced;
    while (Object.hasOwn(copy, name)) name = `${replaced}${++number}`;
    setOwnProperty(copy, name, object[key] ?? null);
  }
  return copy;
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
  let row = [value].filter(isContainer);
  while (row.length > 0 && levels <= most) {
    levels++;
    const below: (JsonObject | JsonValue[])[] = [];
    for (const item of row) {
      for (const child of Array.isArray(item) ? item : Object.values(item)) if (isContainer(child)) below.push(child);
    }
    row = below;
  }
  return levels;
}

function isContainer(value: JsonValue): value is JsonObject | JsonValue[] {
  return typeof value === 'object' && value !== null;
}

/** A deep copy with strings of its own: V8 keeps a whole stack trace alive for a slice of it. */
export function ownCopy<Plain>(plain: Plain): Plain {
  return JSON.parse(JSON.stringify(plain));
}
