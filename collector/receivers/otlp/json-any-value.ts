import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/event/json.js';
import { MAX_VALUE_DEPTH, TOO_DEEP } from './decode-limits.js';
import { listOf } from './json-member.js';
import { base64Of, booleanOf, doubleOf, integerOf, textOf } from './json-scalars.js';

type ReadValue = (value: JsonValue, depth: number) => JsonValue;

/** The members of AnyValue under both spellings. The last of those that are set counts. */
const VALUE_MEMBERS: ReadonlyMap<string, ReadValue> = new Map<string, ReadValue>(
  (
    [
      [['stringValue', 'string_value'], (value) => (typeof value === 'object' ? null : textOf(value))],
      [['boolValue', 'bool_value'], booleanOf],
      [['intValue', 'int_value'], integerOf],
      [['doubleValue', 'double_value'], doubleOf],
      [['arrayValue', 'array_value'], (value, depth) => nested(value, depth, arrayOf)],
      [['kvlistValue', 'kvlist_value'], (value, depth) => nested(value, depth, keyValueListOf)],
      [['bytesValue', 'bytes_value'], base64Of],
    ] satisfies readonly (readonly [readonly string[], ReadValue])[]
  ).flatMap(([names, read]) => names.map((name): [string, ReadValue] => [name, read])),
);

/** The value of an AnyValue; null when it is empty, or no AnyValue. `depth` counts the arrays and lists around it. */
export function anyValueOf(any: JsonValue | undefined, depth = 0): JsonValue {
  let value: JsonValue = null;
  if (!isJsonObject(any)) return value;
  for (const name in any) {
    const member = any[name];
    if (member === null || member === undefined) continue;
    const read = VALUE_MEMBERS.get(name);
    if (read !== undefined) value = read(member, depth);
  }
  return value;
}

/** Attributes by key; empty when there are none. */
export function attributesOf(list: JsonValue | undefined): Map<string, JsonValue> {
  const attributes = new Map<string, JsonValue>();
  eachKeyValue(list, 0, (key, value) => attributes.set(key, value));
  return attributes;
}

function nested(
  value: JsonValue,
  depth: number,
  read: (values: JsonValue | undefined, depth: number) => JsonValue,
): JsonValue {
  if (!isJsonObject(value)) return null;
  return depth < MAX_VALUE_DEPTH ? read(value['values'], depth + 1) : TOO_DEEP;
}

function arrayOf(values: JsonValue | undefined, depth: number): JsonValue {
  return listOf(values).map((value) => anyValueOf(value, depth));
}

function keyValueListOf(values: JsonValue | undefined, depth: number): JsonValue {
  const list: JsonObject = Object.create(null);
  eachKeyValue(values, depth, (key, value) => {
    list[key] = value;
  });
  return list;
}

/** What is no key-value pair is passed over. */
function eachKeyValue(list: JsonValue | undefined, depth: number, set: (key: string, value: JsonValue) => void): void {
  for (const pair of listOf(list)) {
    if (isJsonObject(pair)) set(textOf(pair['key']), anyValueOf(pair['value'], depth));
  }
}
