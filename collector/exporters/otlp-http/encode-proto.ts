import type { Writer } from 'protobufjs/minimal.js';
import type { JsonValue } from '../../../core/event/json.js';
import { runInSlices, type Steps } from '../../processors/event-processor/steps.js';
import { isInteger, isSmall, isSmallRecord, MAX_DEPTH, membersOf, wellFormed } from './any-value.js';
import type { LogRecord, RecordGroup, RecordScope } from './log-record.js';
import { ProtoOutput } from './proto-output.js';

type Pairs = Iterable<readonly [string, JsonValue]>;

/** Tag of a field: its number and its wire type. */
const varint = (field: number): number => field << 3;
const fixed64 = (field: number): number => (field << 3) | 1;
const bytes = (field: number): number => (field << 3) | 2;
const fixed32 = (field: number): number => (field << 3) | 5;

/** Encodes an ExportLogsServiceRequest as protobuf, in time slices. The first call loads protobufjs. */
export async function encodeProto(groups: readonly RecordGroup[]): Promise<Uint8Array> {
  // A bundled CommonJS package has only the name `default`.
  const {
    default: { Writer },
  } = await import('protobufjs/minimal.js');
  return await runInSlices(requestOf(groups, new ProtoOutput(() => Writer.create())));
}

function* requestOf(groups: readonly RecordGroup[], out: ProtoOutput): Steps<Uint8Array> {
  for (const { resource, scopes } of groups) {
    const group = out.nested();
    const owner = group.nested();
    yield* attributesInSteps(owner, 1, resource.attributes, 0);
    group.message(1, owner);
    for (const { scope, records } of scopes) {
      const own = group.nested();
      yield* scopeInSteps(own, scope);
      for (const record of records) {
        yield;
        yield* recordInSteps(own, record);
      }
      writeText(own.writer, 3, scope.schemaUrl);
      group.message(2, own);
    }
    writeText(group.writer, 3, resource.schemaUrl);
    out.message(1, group);
  }
  return yield* out.finish();
}

function* scopeInSteps(out: ProtoOutput, { name, version, attributes }: RecordScope): Steps<void> {
  const scope = out.nested();
  if (name !== '') yield* scope.text(1, name);
  if (version !== '') yield* scope.text(2, version);
  yield* attributesInSteps(scope, 3, attributes, 0);
  out.message(1, scope);
}

function* recordInSteps(out: ProtoOutput, record: LogRecord): Steps<void> {
  if (isSmallRecord(record)) {
    const { writer } = out;
    writer.uint32(bytes(2)).fork();
    writeHead(writer, record);
    if (record.body !== null) {
      writer.uint32(bytes(5)).fork();
      writeValue(writer, record.body, 0);
      writer.ldelim();
    }
    for (const [key, value] of record.attributes) writeAttribute(writer, 6, key, value, 0);
    writeEnd(writer, record);
    writer.ldelim();
    return;
  }
  // Measuring a large record takes a time slice.
  yield;
  const own = out.nested();
  writeHead(own.writer, record);
  if (record.body !== null) {
    const body = own.nested();
    yield* valueInSteps(body, record.body, 0);
    own.message(5, body);
  }
  yield* attributesInSteps(own, 6, record.attributes, 0);
  writeEnd(own.writer, record);
  out.message(2, own);
}

function* attributesInSteps(out: ProtoOutput, field: number, attributes: Pairs, depth: number): Steps<void> {
  for (const [key, value] of attributes) {
    yield;
    if (isSmall(key) && isSmall(value)) {
      writeAttribute(out.writer, field, key, value, depth);
      continue;
    }
    const attribute = out.nested();
    if (key !== '') yield* attribute.text(1, key);
    const inner = attribute.nested();
    yield* valueInSteps(inner, value, depth);
    attribute.message(2, inner);
    out.message(field, attribute);
  }
}

/** `writeValue` with pauses, for large values. */
function* valueInSteps(out: ProtoOutput, value: JsonValue, depth: number): Steps<void> {
  if (typeof value === 'string') yield* out.text(1, value);
  else if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) {
    writeValue(out.writer, value, depth);
  } else {
    yield;
    const nested = out.nested();
    if (Array.isArray(value)) yield* membersInSteps(nested, value, depth + 1);
    else yield* attributesInSteps(nested, 1, membersOf(value), depth + 1);
    out.message(Array.isArray(value) ? 5 : 6, nested);
  }
}

function* membersInSteps(out: ProtoOutput, values: readonly JsonValue[], depth: number): Steps<void> {
  for (const value of values) {
    yield;
    if (isSmall(value)) {
      writeMember(out.writer, value, depth);
      continue;
    }
    const inner = out.nested();
    yield* valueInSteps(inner, value, depth);
    out.message(1, inner);
  }
}

/** Writes the fields before the body. */
function writeHead(writer: Writer, record: LogRecord): void {
  writeNanos(writer, 1, record.timeUnixNano);
  if (record.severityNumber !== 0) writer.uint32(varint(2)).int32(record.severityNumber);
  writeText(writer, 3, record.severityText);
}

/** Writes the fields after the attributes. */
function writeEnd(writer: Writer, record: LogRecord): void {
  if (record.flags !== 0) writer.uint32(fixed32(8)).fixed32(record.flags);
  writeId(writer, 9, record.traceId);
  writeId(writer, 10, record.spanId);
  writeNanos(writer, 11, record.observedTimeUnixNano);
  writeText(writer, 12, record.eventName);
}

function writeAttribute(writer: Writer, field: number, key: string, value: JsonValue, depth: number): void {
  writer.uint32(bytes(field)).fork();
  writeText(writer, 1, key);
  writer.uint32(bytes(2)).fork();
  writeValue(writer, value, depth);
  writer.ldelim();
  writer.ldelim();
}

/** Writes the members of an AnyValue; null has none. */
function writeValue(writer: Writer, value: JsonValue, depth: number): void {
  if (value === null) return;
  // A union member is written even if empty.
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
    for (const one of value) writeMember(writer, one, depth);
  } else for (const [key, one] of Object.entries(value)) writeAttribute(writer, 1, key, one, depth);
  writer.ldelim();
}

function writeMember(writer: Writer, value: JsonValue, depth: number): void {
  writer.uint32(bytes(1)).fork();
  writeValue(writer, value, depth);
  writer.ldelim();
}

function writeText(writer: Writer, field: number, text: string): void {
  if (text !== '') writer.uint32(bytes(field)).string(wellFormed(text));
}

function writeId(writer: Writer, field: number, hex: string): void {
  if (hex !== '') writer.uint32(bytes(field)).bytes(Buffer.from(hex, 'hex'));
}

/** Writes a fixed64 as two halves, because it exceeds a safe integer. */
function writeNanos(writer: Writer, field: number, nanos: bigint): void {
  if (nanos === 0n) return;
  const low = Number(nanos & 0xffffffffn);
  const high = Number(nanos >> 32n);
  writer.uint32(fixed64(field)).fixed32(low).fixed32(high);
}
