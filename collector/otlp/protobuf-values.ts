import type { JsonObject, JsonValue } from '../../core/event/json.js';
import { textOfBase64 } from './json-values.js';
import { countMember, doubleValue, knownId, MAX_VALUE_DEPTH, TOO_DEEP } from './otlp-records.js';
import { enterMessage, type ProtobufReader, WIRE } from './protobuf-reader.js';

interface ValueField {
  readonly wire: number;
  readonly read: (reader: ProtobufReader, depth: number) => JsonValue;
}

/** The members of AnyValue. The last one wins; 8, an index into a table of profiles, is skipped. */
const VALUE_FIELDS: { readonly [number: number]: ValueField } = {
  1: { wire: WIRE.bytes, read: (reader) => reader.string() },
  2: { wire: WIRE.varint, read: (reader) => reader.bool() },
  3: { wire: WIRE.varint, read: readInteger },
  4: { wire: WIRE.fixed64, read: (reader) => doubleValue(reader.double()) },
  5: { wire: WIRE.bytes, read: (reader, depth) => readNested(reader, depth, readArray) },
  6: { wire: WIRE.bytes, read: (reader, depth) => readNested(reader, depth, readKeyValueList) },
  7: { wire: WIRE.bytes, read: readBase64 },
};

/** Reads an AnyValue with its length prefix; null if it is empty. `depth` counts the arrays and lists around it. */
function readAnyValue(reader: ProtobufReader, depth = 0): JsonValue {
  const outerEnd = enterMessage(reader);
  let value: JsonValue = null;
  while (reader.pos < reader.len) {
    const tag = reader.tag();
    const field = VALUE_FIELDS[tag >>> 3];
    if (field !== undefined && field.wire === (tag & 7)) value = field.read(reader, depth);
    else reader.skipType(tag & 7, 0, tag >>> 3);
  }
  reader.len = outerEnd;
  return value;
}

const BYTES_TAG = (7 << 3) | WIRE.bytes;

/** Reads the AnyValue of a log record's body as `bodyOf` parses it. */
export function readBody(reader: ProtobufReader): JsonValue {
  const start = reader.pos;
  const outerEnd = enterMessage(reader);
  const isBytes = reader.buf[reader.pos] === BYTES_TAG;
  reader.len = outerEnd;
  reader.pos = start;
  const value = readAnyValue(reader);
  return isBytes ? textOfBase64(value) : value;
}

/** Receives key-value pairs; the last of equal keys wins. */
interface KeyValueTarget {
  set(key: string, value: JsonValue): unknown;
}

/** Reads a KeyValue with its length prefix; the key defaults to empty. `depth` counts as in `readAnyValue`. */
export function readKeyValue(reader: ProtobufReader, target: KeyValueTarget, depth = 0): void {
  countMember(reader);
  const outerEnd = enterMessage(reader);
  let key = '';
  let value: JsonValue = null;
  while (reader.pos < reader.len) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | WIRE.bytes)) key = reader.string();
    else if (tag === ((2 << 3) | WIRE.bytes)) value = readAnyValue(reader, depth);
    else reader.skipType(tag & 7, 0, tag >>> 3);
  }
  reader.len = outerEnd;
  target.set(key, value);
}

function readNested(
  reader: ProtobufReader,
  depth: number,
  read: (reader: ProtobufReader, depth: number) => JsonValue,
): JsonValue {
  const outerEnd = enterMessage(reader);
  let value: JsonValue = TOO_DEEP;
  if (depth < MAX_VALUE_DEPTH) value = read(reader, depth + 1);
  else reader.pos = reader.len;
  reader.len = outerEnd;
  return value;
}

function readArray(reader: ProtobufReader, depth: number): JsonValue {
  const values: JsonValue[] = [];
  eachValue(reader, () => {
    countMember(reader);
    values.push(readAnyValue(reader, depth));
  });
  return values;
}

function readKeyValueList(reader: ProtobufReader, depth: number): JsonValue {
  const list: JsonObject = Object.create(null);
  const target: KeyValueTarget = {
    set(key, value) {
      list[key] = value;
    },
  };
  eachValue(reader, () => readKeyValue(reader, target, depth));
  return list;
}

/** Both kinds of list hold their elements in field 1. */
function eachValue(reader: ProtobufReader, read: () => void): void {
  while (reader.pos < reader.len) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | WIRE.bytes)) read();
    else reader.skipType(tag & 7, 0, tag >>> 3);
  }
}

/** Reads a fixed64 exactly. */
export function readNanos(reader: ProtobufReader): bigint {
  const { high, low } = reader.fixed64();
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

/** Reads an int64: a number if exact, else its digits. */
function readInteger(reader: ProtobufReader): number | string {
  const { high, low } = reader.int64();
  const value = high * 2 ** 32 + (low >>> 0);
  return Number.isSafeInteger(value) ? value : String((BigInt(high) << 32n) | BigInt(low >>> 0));
}

function readBase64(reader: ProtobufReader): string {
  return asBuffer(reader.bytes()).toString('base64');
}

/** Reads an id of `length` hexadecimal characters; empty if invalid. */
export function readId(reader: ProtobufReader, length: number): string {
  const bytes = reader.bytes();
  return bytes.length * 2 === length ? knownId(asBuffer(bytes).toString('hex'), length) : '';
}

/** protobufjs types a view of the body, which is a Buffer, as Uint8Array. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes);
}
