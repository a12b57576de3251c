import { isUtf8 } from 'node:buffer';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/event/json.js';
import {
  countMember,
  doubleValue,
  MAX_VALUE_DEPTH,
  type MemberCount,
  type OtlpAttributes,
  TOO_DEEP,
} from './otlp-records.js';

type ReadValue = (value: JsonValue, count: MemberCount, depth: number) => JsonValue;

const READ_VALUE: Readonly<Record<string, ReadValue>> = {
  stringValue: (value) => (typeof value === 'object' ? null : textOf(value)),
  boolValue: booleanOf,
  intValue: integerOf,
  doubleValue: doubleOf,
  arrayValue: (value, count, depth) => nested(value, count, depth, arrayOf),
  kvlistValue: (value, count, depth) => nested(value, count, depth, keyValueListOf),
  bytesValue: base64Of,
};
/** The members of AnyValue in both spellings. The last one that is set wins. */
const VALUE_MEMBERS: ReadonlyMap<string, ReadValue> = new Map(
  Object.entries(READ_VALUE).flatMap(([name, read]) => [name, protoName(name)].map((spelled) => [spelled, read])),
);

/** Parses an AnyValue; null if it is empty or invalid. `depth` counts the arrays and lists around it. */
function anyValueOf(any: JsonValue | undefined, count: MemberCount, depth = 0): JsonValue {
  let value: JsonValue = null;
  if (!isJsonObject(any)) return value;
  for (const name in any) {
    const member = any[name];
    if (member === null || member === undefined) continue;
    const read = VALUE_MEMBERS.get(name);
    if (read !== undefined) value = read(member, count, depth);
  }
  return value;
}

/** Parses the body of a log record: bytes that are text become it, since the Collector sends lines in no known encoding as bytes. */
export function bodyOf(any: JsonValue | undefined, count: MemberCount): JsonValue {
  const value = anyValueOf(any, count);
  const bytes = isJsonObject(any) ? (any['bytesValue'] ?? any['bytes_value'] ?? null) : null;
  return bytes === null ? value : textOfBase64(value);
}

/** Returns the text in base64; a value that is not text stays base64. */
export function textOfBase64(value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value;
  const bytes = Buffer.from(value, 'base64');
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString() : value;
}

const NO_ATTRIBUTES: OtlpAttributes = new Map();

/** Parses a list of attributes; default empty. */
export function parseAttributes(list: JsonValue | undefined, count: MemberCount): OtlpAttributes {
  if (listOf(list).length === 0) return NO_ATTRIBUTES;
  const attributes = new Map<string, JsonValue>();
  eachKeyValue(list, count, 0, (key, value) => attributes.set(key, value));
  return attributes;
}

function nested(
  value: JsonValue,
  count: MemberCount,
  depth: number,
  read: (values: JsonValue | undefined, count: MemberCount, depth: number) => JsonValue,
): JsonValue {
  if (!isJsonObject(value)) return null;
  return depth < MAX_VALUE_DEPTH ? read(value['values'], count, depth + 1) : TOO_DEEP;
}

function arrayOf(values: JsonValue | undefined, count: MemberCount, depth: number): JsonValue {
  return listOf(values).map((value) => {
    countMember(count);
    return anyValueOf(value, count, depth);
  });
}

function keyValueListOf(values: JsonValue | undefined, count: MemberCount, depth: number): JsonValue {
  const list: JsonObject = Object.create(null);
  eachKeyValue(values, count, depth, (key, value) => {
    list[key] = value;
  });
  return list;
}

/** Ignores elements that are not key-value pairs. */
function eachKeyValue(
  list: JsonValue | undefined,
  count: MemberCount,
  depth: number,
  set: (key: string, value: JsonValue) => void,
): void {
  for (const pair of listOf(list)) {
    if (!isJsonObject(pair)) continue;
    countMember(count);
    set(textOf(pair['key']), anyValueOf(pair['value'], count, depth));
  }
}

const DIGITS = /^-?\d{1,20}$/;
const NUMBER = /^-?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,4})?$/;
const BASE64 = /^[0-9A-Za-z+/_-]*={0,2}$/;
const MAX_FIXED64 = 2n ** 64n - 1n;
const MAX_INT32 = 2 ** 31 - 1;
const MAX_UINT32 = 2 ** 32 - 1;

/** Returns a string, number or boolean as text; empty for other values. */
export function textOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Parses a fixed64, exact if it is a string; 0n for other values. */
export function nanosOf(value: JsonValue | undefined): bigint {
  const nanos = wholeNumber(value);
  return nanos === undefined || nanos < 0n || nanos > MAX_FIXED64 ? 0n : nanos;
}

/** Parses an int64: a number if exact, else its digits. Other numbers and strings stay unchanged; null for other values. */
function integerOf(value: JsonValue): number | string | null {
  const whole = wholeNumber(value);
  if (whole !== undefined && BigInt.asIntN(64, whole) === whole) {
    const number = Number(whole);
    return Number.isSafeInteger(number) ? number : String(whole);
  }
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return null;
  return Number.isInteger(value) ? String(value) : doubleValue(value);
}

/** Parses a double or numeric string; NaN and the infinities become text. Other strings stay unchanged; null for other values. */
function doubleOf(value: JsonValue): number | string | null {
  if (typeof value === 'number') return doubleValue(value);
  if (typeof value !== 'string') return null;
  return NUMBER.test(value) ? doubleValue(Number(value)) : value;
}

function booleanOf(value: JsonValue): boolean | null {
  if (typeof value === 'boolean') return value;
  return value === 'true' || value === 'false' ? value === 'true' : null;
}

/** Returns standard base64 for standard or URL-safe base64, padded or not; null for other values. */
function base64Of(value: JsonValue): string | null {
  if (typeof value !== 'string' || !BASE64.test(value)) return null;
  return Buffer.from(value, 'base64').toString('base64');
}

/** Parses a uint32; 0 for other values. */
export function uint32Of(value: JsonValue | undefined): number {
  const whole = smallNumber(value);
  return whole >= 0 && whole <= MAX_UINT32 ? whole : 0;
}

/** Parses an enum from its number or name; unknown numbers are kept; 0 for other values. */
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

/** Returns the spelling of a member in the .proto file, which some senders write. */
export function protoName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns a member in either spelling; undefined if it is absent or null. */
export function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  return object[name] ?? object[protoName(name)] ?? undefined;
}

/** Returns a value that is a list; default empty. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
