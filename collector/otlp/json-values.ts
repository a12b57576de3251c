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

/** The members of AnyValue under both spellings. The last of those that are set counts. */
const VALUE_MEMBERS: ReadonlyMap<string, ReadValue> = new Map<string, ReadValue>(
  (
    [
      [['stringValue', 'string_value'], (value) => (typeof value === 'object' ? null : textOf(value))],
      [['boolValue', 'bool_value'], booleanOf],
      [['intValue', 'int_value'], integerOf],
      [['doubleValue', 'double_value'], doubleOf],
      [['arrayValue', 'array_value'], (value, count, depth) => nested(value, count, depth, arrayOf)],
      [['kvlistValue', 'kvlist_value'], (value, count, depth) => nested(value, count, depth, keyValueListOf)],
      [['bytesValue', 'bytes_value'], base64Of],
    ] satisfies readonly (readonly [readonly string[], ReadValue])[]
  ).flatMap(([names, read]) => names.map((name): [string, ReadValue] => [name, read])),
);

/** The value of an AnyValue; null when it is empty, or no AnyValue. `depth` counts the arrays and lists around it. */
export function anyValueOf(any: JsonValue | undefined, count: MemberCount, depth = 0): JsonValue {
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

const NO_ATTRIBUTES: OtlpAttributes = new Map();

/** Attributes by key; empty when there are none. */
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

/** What is not a key-value pair is passed over. */
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

/** A double, also from numeric text; `NaN` and the infinities as text. Other text stays as it is; null for anything else. */
function doubleOf(value: JsonValue): number | string | null {
  if (typeof value === 'number') return doubleValue(value);
  if (typeof value !== 'string') return null;
  return NUMBER.test(value) ? doubleValue(Number(value)) : value;
}

/** A boolean, also from its text; null for anything else. */
function booleanOf(value: JsonValue): boolean | null {
  if (typeof value === 'boolean') return value;
  return value === 'true' || value === 'false' ? value === 'true' : null;
}

/** Bytes as base64 in its standard form, from that or the form for URLs, padded or not; null for what is none. */
function base64Of(value: JsonValue): string | null {
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

/** A member's two spellings: that of the specification, and that of the protocol's definition, which some senders write. */
export type MemberName = readonly [camelCase: string, snakeCase: string];

/** A member under either spelling; undefined when it is absent or null, which mean the same. */
export function memberOf(object: JsonObject, [camelCase, snakeCase]: MemberName): JsonValue | undefined {
  return object[camelCase] ?? object[snakeCase] ?? undefined;
}

/** A member that holds a message; an empty one when it holds anything else. */
export function messageMember(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

/** A member that holds a list; an empty one when it holds anything else. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
