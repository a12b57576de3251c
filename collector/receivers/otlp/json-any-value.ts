import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/event/json.js';
import { countMember, MAX_VALUE_DEPTH, type MemberCount, TOO_DEEP } from './decode-limits.js';
import { listOf } from './json-member.js';
import { base64Of, booleanOf, doubleOf, integerOf, textOf } from './json-scalars.js';

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

/** Attributes by key; empty when there are none. */
export function attributesOf(list: JsonValue | undefined, count: MemberCount): Map<string, JsonValue> {
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
