import type { JsonValue } from '../../../core/event/json.js';
import { doubleValue } from './double-value.js';

const DIGITS = /^-?\d{1,20}$/;
const NUMBER = /^-?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,4})?$/;
const BASE64 = /^[0-9A-Za-z+/_-]*={0,2}$/;
const MAX_FIXED64 = 2n ** 64n - 1n;
const MAX_INT32 = 2 ** 31 - 1;
const MAX_UINT32 = 2 ** 32 - 1;

/** Text; the text of a number or boolean; empty for anything else. */
export function textOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** A fixed64, exact when it came as text; 0n for what is none. */
export function nanosOf(value: JsonValue | undefined): bigint {
  const nanos = wholeNumber(value);
  return nanos === undefined || nanos < 0n || nanos > MAX_FIXED64 ? 0n : nanos;
}

/** An int64: a number where a number is exact, else its digits. What is no int64 stays the number or text that it is; null for anything else. */
export function integerOf(value: JsonValue): number | string | null {
  const whole = wholeNumber(value);
  if (whole !== undefined && BigInt.asIntN(64, whole) === whole) {
    const number = Number(whole);
    return Number.isSafeInteger(number) ? number : String(whole);
  }
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return null;
  return Number.isInteger(value) ? String(value) : doubleValue(value);
}

/** A double, also from numeric text; `NaN` and the infinities as text. Other text stays as it is; null for anything else. */
export function doubleOf(value: JsonValue): number | string | null {
  if (typeof value === 'number') return doubleValue(value);
  if (typeof value !== 'string') return null;
  return NUMBER.test(value) ? doubleValue(Number(value)) : value;
}

/** A boolean, also from its text; null for anything else. */
export function booleanOf(value: JsonValue): boolean | null {
  if (typeof value === 'boolean') return value;
  return value === 'true' || value === 'false' ? value === 'true' : null;
}

/** Bytes as base64 in its standard form, from that or the form for URLs, padded or not; null for what is none. */
export function base64Of(value: JsonValue): string | null {
  if (typeof value !== 'string' || !BASE64.test(value)) return null;
  return Buffer.from(value, 'base64').toString('base64');
}

/** A uint32; 0 for what is none. */
export function uint32Of(value: JsonValue | undefined): number {
  const whole = smallNumber(value);
  return whole >= 0 && whole <= MAX_UINT32 ? whole : 0;
}

/** An enum's number, also from its name; numbers without a name are kept; 0 for what is none. */
export function enumOf(value: JsonValue | undefined, numbers: ReadonlyMap<string, number>): number {
  const named = typeof value === 'string' ? numbers.get(value) : undefined;
  if (named !== undefined) return named;
  const whole = smallNumber(value);
  return whole >= -MAX_INT32 - 1 && whole <= MAX_INT32 ? whole : 0;
}

function smallNumber(value: JsonValue | undefined): number {
  return Number.isInteger(value) ? Number(value) + 0 : Number(wholeNumber(value) ?? 0n);
}

function wholeNumber(value: JsonValue | undefined): bigint | undefined {
  if (typeof value === 'string' && DIGITS.test(value)) return BigInt(value);
  const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) ? BigInt(number) : undefined;
}
