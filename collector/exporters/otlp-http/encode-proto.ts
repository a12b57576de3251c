import type { Writer } from 'protobufjs/minimal.js';
import { wellFormedJson } from '../../../config/values/well-formed-json.js';
import { isJsonObject, type JsonValue } from '../../../core/event/json.js';
import { textPieces } from '../../../core/event/text.js';
import { runInSlices, type Steps } from '../../processors/event-processor/steps.js';
import { isInteger, isSmall, MAX_DEPTH, membersOf } from './any-value.js';
import { BodyChunks } from './body-chunks.js';
import type { LogRecord, RecordGroup, RecordScope } from './log-record.js';

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
  const own = out.nested();
  writeNanos(own.writer, 1, record.timeUnixNano);
  if (record.severityNumber !== 0) own.writer.uint32(varint(2)).int32(record.severityNumber);
  writeText(own.writer, 3, record.severityText);
  if (record.body !== null) yield* valueInSteps(own, 5, record.body, 0);
  yield* attributesInSteps(own, 6, record.attributes, 0);
  const { writer } = own;
  if (record.flags !== 0) writer.uint32(fixed32(8)).fixed32(record.flags);
  writeId(writer, 9, record.traceId);
  writeId(writer, 10, record.spanId);
  writeNanos(writer, 11, record.observedTimeUnixNano);
  writeText(writer, 12, record.eventName);
  out.message(2, own);
}

const ATTRIBUTES_AT_ONCE = 16;

function* attributesInSteps(out: ProtoOutput, field: number, attributes: Pairs, depth: number): Steps<void> {
  let written = 0;
  for (const [key, value] of attributes) {
    written += 1;
    if (written % ATTRIBUTES_AT_ONCE === 0) yield;
    if (isSmall(key) && isSmall(value)) {
      writeAttribute(out.writer, field, key, value, depth);
      continue;
    }
    const attribute = out.nested();
    if (key !== '') yield* attribute.text(1, key);
    yield* valueInSteps(attribute, 2, value, depth);
    out.message(field, attribute);
  }
}

/** `writeValue` with pauses for large values. */
function* valueInSteps(out: ProtoOutput, field: number, value: JsonValue, depth: number): Steps<void> {
  if (isSmall(value) || (depth >= MAX_DEPTH && typeof value !== 'string')) {
    writeValue(out.writer, field, value, depth);
    return;
  }
  const any = out.nested();
  if (typeof value === 'string') yield* any.text(1, value);
  else {
    const nested = any.nested();
    if (Array.isArray(value)) {
      for (const one of value) {
        yield;
        yield* valueInSteps(nested, 1, one, depth + 1);
      }
    } else if (isJsonObject(value)) yield* attributesInSteps(nested, 1, membersOf(value), depth + 1);
    any.message(Array.isArray(value) ? 5 : 6, nested);
  }
  out.message(field, any);
}

function writeAttribute(writer: Writer, field: number, key: string, value: JsonValue, depth: number): void {
  writer.uint32(bytes(field)).fork();
  writeText(writer, 1, key);
  writeValue(writer, 2, value, depth);
  writer.ldelim();
}

/** Writes an AnyValue; null has no members. */
function writeValue(writer: Writer, field: number, value: JsonValue, depth: number): void {
  writer.uint32(bytes(field)).fork();
  // A union member is written even if empty.
  if (typeof value === 'string') writer.uint32(bytes(1)).string(value.toWellFormed());
  else if (typeof value === 'boolean') writer.uint32(varint(2)).bool(value);
  else if (typeof value === 'number' && isInteger(value)) writer.uint32(varint(3)).int64(value);
  else if (typeof value === 'number') writer.uint32(fixed64(4)).double(value);
  else if (value !== null && depth >= MAX_DEPTH) writer.uint32(bytes(1)).string(wellFormedJson(JSON.stringify(value)));
  else if (Array.isArray(value)) {
    writer.uint32(bytes(5)).fork();
    for (const one of value) writeValue(writer, 1, one, depth + 1);
    writer.ldelim();
  } else if (value !== null) {
    writer.uint32(bytes(6)).fork();
    for (const [key, one] of Object.entries(value)) writeAttribute(writer, 1, key, one, depth + 1);
    writer.ldelim();
  }
  writer.ldelim();
}

function writeText(writer: Writer, field: number, text: string): void {
  if (text !== '') writer.uint32(bytes(field)).string(text.toWellFormed());
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

/** Bytes that are buffered, and units of a text that are written without a pause. */
const BUFFER_BYTES = 64 * 1024;
const SMALL_UNITS = 16 * 1024;

/** A protobuf message being written: small fields by a writer, large ones in chunks. */
class ProtoOutput {
  readonly #body = new BodyChunks();
  readonly #create: () => Writer;
  #writer: Writer;

  constructor(create: () => Writer) {
    this.#create = create;
    this.#writer = create();
  }

  /** Writer for small fields; get it again for each field. */
  get writer(): Writer {
    if (this.#writer.len >= BUFFER_BYTES) this.#flush();
    return this.#writer;
  }

  /** Creates a message that can become a field of this one. */
  nested(): ProtoOutput {
    return new ProtoOutput(this.#create);
  }

  /** Writes a text field; replaces lone surrogates. */
  *text(field: number, text: string): Steps<void> {
    if (text.length <= SMALL_UNITS) {
      this.writer.uint32(bytes(field)).string(text.toWellFormed());
      return;
    }
    const written = new BodyChunks();
    for (const piece of textPieces(text)) {
      written.append(Buffer.from(piece.toWellFormed(), 'utf8'));
      yield;
    }
    this.#field(field, written);
  }

  /** Writes a message field; `inner` must not be used afterwards. */
  message(field: number, inner: ProtoOutput): void {
    inner.#flush();
    this.#field(field, inner.#body);
  }

  /** Returns the encoded message, which must not be written to afterwards. */
  *finish(): Steps<Uint8Array> {
    this.#flush();
    return yield* this.#body.concat();
  }

  #field(field: number, content: BodyChunks): void {
    this.#writer.uint32(bytes(field)).uint32(content.bytes);
    this.#flush();
    this.#body.appendAll(content);
  }

  #flush(): void {
    this.#body.append(this.#writer.finish());
    this.#writer = this.#create();
  }
}
