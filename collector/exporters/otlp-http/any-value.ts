import type { JsonObject, JsonValue } from '../../../core/event/json.js';

/** Levels of arrays and maps that are written; what lies deeper is written as JSON text. Readers refuse, or lose, what is nested deeper than about 100. */
export const MAX_DEPTH = 60;

/** The members of an object one after the other; `Object.entries` takes three times as long for very many. */
export function* membersOf(object: JsonObject): Generator<readonly [key: string, value: JsonValue], void, undefined> {
  for (const key of Object.keys(object)) yield [key, object[key] ?? null];
}

/** Whether a number is written as an integer. */
export function isInteger(value: number): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0);
}
