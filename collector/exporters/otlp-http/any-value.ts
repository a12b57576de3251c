import type { JsonObject, JsonValue } from '../../../core/event/json.js';
import type { OtlpAttributes } from '../../otlp/otlp-records.js';
import type { LogRecord } from './log-record.js';

/** About how many units may be written without a pause; in the dearest case, of many short members, a millisecond. */
const SMALL_UNITS = 16 * 1024;
/** What a member counts beside its text. */
const MEMBER_UNITS = 16;

/** Whether a value is written without a pause. Time is bounded for large ones. */
export function isSmall(value: JsonValue): boolean {
  return unitsLeft(value, SMALL_UNITS) >= 0;
}

/** The same for a whole record without what it shares with others. */
export function isSmallRecord({ body, attributes, severityText, eventName }: LogRecord): boolean {
  const left = SMALL_UNITS - severityText.length - eventName.length;
  return unitsLeftBehind(attributes, unitsLeft(body, left)) >= 0;
}

function unitsLeftBehind(attributes: OtlpAttributes, units: number): number {
  let left = units;
  for (const [key, value] of attributes) {
    if (left < 0) return left;
    left = unitsLeft(value, left - key.length);
  }
  return left;
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

const HALF_OF_PAIR = /\p{Cs}/gu;

/** The text with halves of surrogate pairs replaced: they cannot be written as UTF-8, and readers refuse the whole request for one. */
export function wellFormed(text: string): string {
  return text.replace(HALF_OF_PAIR, '\ufffd');
}

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
