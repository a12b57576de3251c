import type { JsonObject, JsonValue } from '../../../core/event/json.js';

/** Cost of a value that is encoded without a pause, in UTF-16 units. */
const SMALL_UNITS = 16 * 1024;
/** Cost of a member besides its text. */
const MEMBER_UNITS = 16;

/** Whether a value can be encoded without a pause. Takes bounded time. */
export function isSmall(value: JsonValue): boolean {
  return unitsLeft(value, SMALL_UNITS) >= 0;
}

function unitsLeft(value: JsonValue, units: number): number {
  if (typeof value === 'string') return units - value.length - MEMBER_UNITS;
  let left = units - MEMBER_UNITS;
  if (typeof value !== 'object' || value === null) return left;
  if (Array.isArray(value)) {
    for (const one of value) {
      if (left < 0) return left;
      left = unitsLeft(one, left);
    }
    return left;
  }
  for (const key in value) {
    if (left < 0) return left;
    left = unitsLeft(value[key] ?? null, left - key.length);
  }
  return left;
}

/** Nesting of arrays and maps; deeper values are encoded as JSON text. Servers reject or drop values nested deeper than about 100. */
export const MAX_DEPTH = 60;

/** Iterates over the members of an object; faster than `Object.entries` for large objects. */
export function* membersOf(object: JsonObject): Generator<readonly [key: string, value: JsonValue], void, undefined> {
  for (const key of Object.keys(object)) yield [key, object[key] ?? null];
}

/** Whether a number is encoded as an integer. */
export function isInteger(value: number): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0);
}
