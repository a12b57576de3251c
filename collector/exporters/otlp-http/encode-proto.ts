import type { Writer } from 'protobufjs/minimal.js';
import type { JsonValue } from '../../../core/event/json.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import { isInteger, MAX_DEPTH } from './any-value.js';
import type { Attributes, LogRecord, RecordGroup, RecordResource, RecordScope } from './log-record.js';
import { wellFormed } from './well-formed.js';

/** Tag of a field: its number and its wire type. */
const varint = (field: number): number => field << 3;
const fixed64 = (field: number): number => (field << 3) | 1;
const bytes = (field: number): number => (field << 3) | 2;
const fixed32 = (field: number): number => (field << 3) | 5;

/** An ExportLogsServiceRequest as protobuf, written in slices so that other requests get their turn. protobufjs is loaded by the first call. */
export async function encodeProto(groups: readonly RecordGroup[]): Promise<Uint8Array> {
  const { Writer } = await import('protobufjs/minimal.js');
  const writer = Writer.create();
  const slice = beginTimeSlice();
  for (const { resource, scopes } of groups) {
    writer.uint32(bytes(1)).fork();
    writeResource(writer, resource);
    for (const { scope, records } of scopes) {
      writer.uint32(bytes(2)).fork();
      writeScope(writer, scope);
      for (const record of records) {
        if (slice.isOver) await slice.next();
        writer.uint32(bytes(2)).fork();
        writeRecord(writer, record);
        writer.ldelim();
      }
      writeText(writer, 3, scope.schemaUrl);
      writer.ldelim();
    }
    writeText(writer, 3, resource.schemaUrl);
    writer.ldelim();
  }
  return writer.finish();
}

function writeResource(writer: Writer, { attributes }: RecordResource): void {
  writer.uint32(bytes(1)).fork();
  writeAttributes(writer, 1, attributes, 0);
  writer.ldelim();
}

function writeScope(writer: Writer, { name, version, attributes }: RecordScope): void {
  writer.uint32(bytes(1)).fork();
  writeText(writer, 1, name);
  writeText(writer, 2, version);
  writeAttributes(writer, 3, attributes, 0);
  writer.ldelim();
}

function writeRecord(writer: Writer, record: LogRecord): void {
  writeNanos(writer, 1, record.timeUnixNano);
  if (record.severityNumber !== 0) writer.uint32(varint(2)).int32(record.severityNumber);
  writeText(writer, 3, record.severityText);
  if (record.body !== null) {
    writer.uint32(bytes(5)).fork();
    writeValue(writer, record.body, 0);
    writer.ldelim();
  }
  writeAttributes(writer, 6, record.attributes, 0);
  if (record.flags !== 0) writer.uint32(fixed32(8)).fixed32(record.flags);
  writeId(writer, 9, record.traceId);
  writeId(writer, 10, record.spanId);
  writeNanos(writer, 11, record.observedTimeUnixNano);
  writeText(writer, 12, record.eventName);
}

function writeAttributes(
  writer: Writer,
  field: number,
  attributes: Attributes | readonly [string, JsonValue][],
  depth: number,
): void {
  for (const [key, value] of attributes) {
    writer.uint32(bytes(field)).fork();
    writeText(writer, 1, key);
    writer.uint32(bytes(2)).fork();
    writeValue(writer, value, depth);
    writer.ldelim();
    writer.ldelim();
  }
}

/** The members of an AnyValue; none for null. */
function writeValue(writer: Writer, value: JsonValue, depth: number): void {
  if (value === null) return;
  // Of a union the empty text is a value too.
  if (typeof value === 'string') writer.uint32(bytes(1)).string(wellFormed(value));
  else if (typeof value === 'boolean') writer.uint32(varint(2)).bool(value);
  else if (typeof value === 'number') writeNumber(writer, value);
  else if (depth >= MAX_DEPTH) writer.uint32(bytes(1)).string(wellFormed(JSON.stringify(value)));
  else writeNested(writer, value, depth + 1);
}

function writeNumber(writer: Writer, value: number): void {
  if (isInteger(value)) writer.uint32(varint(3)).int64(value);
  else writer.uint32(fixed64(4)).double(value);
}

function writeNested(writer: Writer, value: Exclude<JsonValue, string | number | boolean | null>, depth: number): void {
  writer.uint32(bytes(Array.isArray(value) ? 5 : 6)).fork();
  if (Array.isArray(value)) {
    for (const one of value) {
      writer.uint32(bytes(1)).fork();
      writeValue(writer, one, depth);
      writer.ldelim();
    }
  } else writeAttributes(writer, 1, Object.entries(value), depth);
  writer.ldelim();
}

function writeText(writer: Writer, field: number, text: string): void {
  if (text !== '') writer.uint32(bytes(field)).string(wellFormed(text));
}

function writeId(writer: Writer, field: number, hex: string): void {
  if (hex !== '') writer.uint32(bytes(field)).bytes(Buffer.from(hex, 'hex'));
}

/** A fixed64 as two halves: a number does not hold it. */
function writeNanos(writer: Writer, field: number, nanos: bigint): void {
  if (nanos === 0n) return;
  const low = Number(nanos & 0xffffffffn);
  const high = Number(nanos >> 32n);
  writer.uint32(fixed64(field)).fixed32(low).fixed32(high);
}
