import type { JsonValue } from '../../../core/event/json.js';
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
