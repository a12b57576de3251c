import { Fault } from '../../../core/event/fault.js';
import { MAX_HEAD_BYTES, MAX_RECORD_BYTES } from './decode-limits.js';
import { BAD_RECORD_COST, type DecodeSteps, PauseMeter } from './decode-steps.js';
import { MessageWalk } from './message-walk.js';
import { otlpInvalid } from './otlp-invalid.js';
import type { OtlpResource, OtlpScope } from './otlp-records.js';
import { type BadRecordReason, PartCollector } from './part-collector.js';
import { readResource, readScope } from './protobuf-heads.js';
import type { ProtobufReader } from './protobuf-reader.js';

/** Reads one record up to the reader's `len`. */
export type ProtobufRecordReader<Item> = (reader: ProtobufReader, resource: OtlpResource, scope: OtlpScope) => Item;

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The records of one scope, still in their bytes. */
interface ScopeRange extends Range {
  readonly resource: OtlpResource;
  readonly scope: OtlpScope;
}

/** Resource and scope messages alike hold a head (1), a list (2) and a schema's address (3). */
interface Envelope {
  readonly head: Range;
  readonly schemaUrl: string;
}

const HEAD = 1;
const LIST = 2;
const SCHEMA_URL = 3;

/** What passing one field costs, beside what is done with it. */
const FIELD_COST = 32;

/**
 * Decodes a request of log records or spans, whose outer messages are alike. The first walk checks everything but the records and throws
 * `OTLP_INVALID`; the second one reads the records, and what breaks then is one bad record.
 */
export function* protobufSteps<Item>(
  body: Buffer,
  reader: ProtobufReader,
  readRecord: ProtobufRecordReader<Item>,
): DecodeSteps<Item> {
  const meter = new PauseMeter();
  const end = body.length;
  try {
    for (const _ of scopes(reader, end, meter)) yield undefined;
  } catch (error) {
    throw otlpInvalid(`its protobuf breaks at byte ${reader.pos}: ${reasonOf(error)}`, error);
  }
  const parts = new PartCollector<Item>();
  for (const scope of scopes(reader, end, meter)) {
    if (scope === undefined) yield undefined;
    else yield* recordsOf(scope, body, reader, readRecord, parts, meter);
  }
  if (!parts.isEmpty) yield parts.take();
}

function* recordsOf<Item>(
  { resource, scope, start, end }: ScopeRange,
  body: Buffer,
  reader: ProtobufReader,
  readRecord: ProtobufRecordReader<Item>,
  parts: PartCollector<Item>,
  meter: PauseMeter,
): DecodeSteps<Item> {
  const walk = new MessageWalk(reader, start, end);
  while (walk.next()) {
    const isRecord = walk.field === LIST;
    if (isRecord) {
      try {
        enter(reader, walk, MAX_RECORD_BYTES, 'a record');
        parts.add(readRecord(reader, resource, scope));
      } catch (error) {
        parts.addBad(badRecordOf(error), body.subarray(walk.start, walk.end));
        meter.add(BAD_RECORD_COST);
      }
    }
    const isPauseDue = meter.spend(isRecord ? FIELD_COST + walk.end - walk.start : FIELD_COST);
    if (parts.isFull) yield parts.take();
    else if (isPauseDue) yield undefined;
  }
}

function* scopes(reader: ProtobufReader, end: number, meter: PauseMeter): Generator<ScopeRange | undefined, void> {
  const request = new MessageWalk(reader, 0, end);
  while (request.next()) {
    if (request.field === 1) yield* scopesOf(reader, request, meter);
    if (meter.spend(FIELD_COST)) yield undefined;
  }
}

function* scopesOf(reader: ProtobufReader, range: Range, meter: PauseMeter): Generator<ScopeRange | undefined, void> {
  const { head, schemaUrl } = yield* envelopeOf(reader, range, meter);
  enter(reader, head, MAX_HEAD_BYTES, 'a resource');
  meter.add(head.end - head.start);
  const resource = readResource(reader, schemaUrl);
  const walk = new MessageWalk(reader, range.start, range.end);
  while (walk.next()) {
    if (meter.spend(FIELD_COST)) yield undefined;
    if (walk.field !== LIST) continue;
    const { start, end } = walk;
    const envelope = yield* envelopeOf(reader, walk, meter);
    enter(reader, envelope.head, MAX_HEAD_BYTES, 'a scope');
    meter.add(envelope.head.end - envelope.head.start);
    yield { resource, scope: readScope(reader, envelope.schemaUrl), start, end };
  }
}

/** Head and schema may stand behind the list: the whole message is passed. The last of each counts. */
function* envelopeOf(reader: ProtobufReader, { start, end }: Range, meter: PauseMeter): Generator<undefined, Envelope> {
  let head: Range = { start: 0, end: 0 };
  let schemaUrl = '';
  const walk = new MessageWalk(reader, start, end);
  while (walk.next()) {
    if (walk.field === HEAD) head = { start: walk.start, end: walk.end };
    if (walk.field === SCHEMA_URL) schemaUrl = schemaUrlIn(reader, walk);
    if (meter.spend(FIELD_COST)) yield undefined;
  }
  return { head, schemaUrl };
}

function schemaUrlIn(reader: ProtobufReader, range: Range): string {
  assertSize(range, MAX_HEAD_BYTES, 'a schema URL');
  return Buffer.from(reader.buf.buffer, reader.buf.byteOffset + range.start, range.end - range.start).toString();
}

/** Holds the reader to one message. */
function enter(reader: ProtobufReader, range: Range, maxBytes: number, what: string): void {
  assertSize(range, maxBytes, what);
  reader.pos = range.start;
  reader.len = range.end;
  reader.members = 0;
}

function assertSize({ start, end }: Range, maxBytes: number, what: string): void {
  if (end - start > maxBytes) throw new RangeError(`${what} has ${end - start} bytes, more than ${maxBytes}`);
}

function badRecordOf(error: unknown): BadRecordReason {
  if (error instanceof Fault) return { code: error.code, reason: `The record ${error.message}.` };
  return { code: 'OTLP_RECORD_INVALID', reason: `The record's protobuf breaks: ${reasonOf(error)}.` };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
