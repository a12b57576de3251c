import { Fault, messageOf } from '../../../../core/event/fault.js';
import type { OtlpBadRecord, OtlpResource, OtlpScope } from '../../../otlp/otlp-records.js';
import { type ProtobufReader, WIRE } from '../../../otlp/protobuf-reader.js';
import { type DecodeSteps, otlpInvalid, PauseMeter } from './decode-steps.js';
import { checkRecord } from './foreign-signal.js';
import type { OtlpSignal } from './otlp-failure.js';
import { type MessageType, RESOURCE, SCOPE } from './otlp-messages.js';

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The undecoded records of one scope. */
interface ScopeRange extends Range {
  readonly resource: OtlpResource;
  readonly scope: OtlpScope;
}

/** Resource and scope messages both have a head (1), a list (2) and a schema URL (3). */
interface Envelope {
  readonly head: Range;
  readonly schemaUrl: string;
}

const HEAD = 1;
const LIST = 2;
const SCHEMA_URL = 3;

/** A record is decoded without a pause; the bound is the default `max_event_size`. A larger record is bad. */
const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/** A larger resource or scope makes the request invalid. */
const MAX_HEAD_BYTES = 1024 * 1024;

/** Bytes of a resource or scope that take as long as skipping one field. */
const BYTES_OF_FIELD = 32;

/**
 * Decodes a request of log records or spans. The first pass checks everything but the records and throws `OTLP_INVALID`; the second pass
 * decodes the records, where an error makes one bad record.
 */
export function* protobufSteps<Item>(
  body: Buffer,
  reader: ProtobufReader,
  type: MessageType<Item>,
  signal: OtlpSignal,
): DecodeSteps<Item> {
  const meter = new PauseMeter();
  const end = body.length;
  let first: Range | undefined;
  try {
    for (const scope of scopes(reader, end, meter)) {
      if (first === undefined && scope !== undefined) first = yield* firstRecord(scope, reader, meter);
      yield undefined;
    }
  } catch (error) {
    throw otlpInvalid(`its protobuf breaks at byte ${reader.pos}: ${messageOf(error)}`, error);
  }
  if (first !== undefined) checkRecord(reader, first, signal);
  for (const scope of scopes(reader, end, meter)) {
    if (scope === undefined) yield undefined;
    else yield* recordsOf(scope, body, reader, type, meter);
  }
}

function* recordsOf<Item>(
  { resource, scope, start, end }: ScopeRange,
  body: Buffer,
  reader: ProtobufReader,
  type: MessageType<Item>,
  meter: PauseMeter,
): DecodeSteps<Item> {
  const empty = type.empty({ resource, scope });
  const walk = new MessageWalk(reader, start, end);
  while (walk.next()) {
    if (walk.field === LIST) yield recordIn(walk, body, reader, () => type.fromProtobuf(reader, empty));
    else if (meter.spend()) yield undefined;
  }
}

function* firstRecord(
  { start, end }: ScopeRange,
  reader: ProtobufReader,
  meter: PauseMeter,
): Generator<undefined, Range | undefined> {
  const walk = new MessageWalk(reader, start, end);
  while (walk.next()) {
    if (walk.field === LIST) return { start: walk.start, end: walk.end };
    if (meter.spend()) yield undefined;
  }
  return undefined;
}

function recordIn<Item>(range: Range, body: Buffer, reader: ProtobufReader, read: () => Item): Item | OtlpBadRecord {
  const { start, end } = range;
  try {
    enter(reader, range, MAX_RECORD_BYTES, 'a record');
    return read();
  } catch (error) {
    const received = body.subarray(start, end);
    if (error instanceof Fault) return { code: error.code, reason: `The record ${error.message}.`, received };
    return { code: 'OTLP_RECORD_INVALID', reason: `The record's protobuf breaks: ${messageOf(error)}.`, received };
  }
}

function* scopes(reader: ProtobufReader, end: number, meter: PauseMeter): Generator<ScopeRange | undefined, void> {
  const request = new MessageWalk(reader, 0, end);
  while (request.next()) {
    if (request.field === 1) yield* scopesOf(reader, request, meter);
    if (meter.spend()) yield undefined;
  }
}

function* scopesOf(reader: ProtobufReader, range: Range, meter: PauseMeter): Generator<ScopeRange | undefined, void> {
  const { head, schemaUrl } = yield* envelopeOf(reader, range, meter);
  enter(reader, head, MAX_HEAD_BYTES, 'a resource');
  if (meter.spend((head.end - head.start) / BYTES_OF_FIELD)) yield undefined;
  const resource = RESOURCE.fromProtobuf(reader, RESOURCE.empty({ schemaUrl }));
  const walk = new MessageWalk(reader, range.start, range.end);
  while (walk.next()) {
    if (meter.spend()) yield undefined;
    if (walk.field !== LIST) continue;
    const { start, end } = walk;
    const envelope = yield* envelopeOf(reader, walk, meter);
    enter(reader, envelope.head, MAX_HEAD_BYTES, 'a scope');
    if (meter.spend((envelope.head.end - envelope.head.start) / BYTES_OF_FIELD)) yield undefined;
    yield { resource, scope: SCOPE.fromProtobuf(reader, SCOPE.empty({ schemaUrl: envelope.schemaUrl })), start, end };
  }
}

/** Scans the whole message, because head and schema may follow the list. The last of each wins. */
function* envelopeOf(reader: ProtobufReader, { start, end }: Range, meter: PauseMeter): Generator<undefined, Envelope> {
  let head: Range = { start: 0, end: 0 };
  let schemaUrl = '';
  const walk = new MessageWalk(reader, start, end);
  while (walk.next()) {
    if (walk.field === HEAD) head = { start: walk.start, end: walk.end };
    if (walk.field === SCHEMA_URL) schemaUrl = schemaUrlIn(reader, walk);
    if (meter.spend()) yield undefined;
  }
  return { head, schemaUrl };
}

function schemaUrlIn(reader: ProtobufReader, range: Range): string {
  assertSize(range, MAX_HEAD_BYTES, 'a schema URL');
  return Buffer.from(reader.buf.buffer, reader.buf.byteOffset + range.start, range.end - range.start).toString();
}

/** Limits the reader to one message. */
function enter(reader: ProtobufReader, range: Range, maxBytes: number, what: string): void {
  assertSize(range, maxBytes, what);
  reader.pos = range.start;
  reader.len = range.end;
  reader.members = 0;
}

function assertSize({ start, end }: Range, maxBytes: number, what: string): void {
  if (end - start > maxBytes) throw new RangeError(`${what} has ${end - start} bytes, more than ${maxBytes}`);
}

/** Skips through the fields of one message, so that decoding can pause anywhere. The reader may be used elsewhere between steps. */
class MessageWalk {
  readonly #reader: ProtobufReader;
  readonly #end: number;
  #at: number;
  #openGroups = 0;
  /** Number of the last field if its value is the bytes from `start` to `end`; 0 for other wire types and in groups. */
  field = 0;
  start = 0;
  end = 0;

  constructor(reader: ProtobufReader, start: number, end: number) {
    this.#reader = reader;
    this.#at = start;
    this.#end = end;
  }

  /** Skips one field; returns false at the end. Throws if the bytes are not a message. */
  next(): boolean {
    const reader = this.#reader;
    reader.pos = this.#at;
    reader.len = this.#end;
    if (this.#at >= this.#end) {
      if (this.#openGroups > 0) throw new RangeError('a group has no end');
      return false;
    }
    const tag = reader.tag();
    if (tag >>> 3 === 0) throw new RangeError('a field has number 0');
    this.field = 0;
    if ((tag & 7) === WIRE.bytes) this.#passBytes(tag >>> 3);
    else this.#passOther(tag & 7);
    this.#at = reader.pos;
    return true;
  }

  #passBytes(field: number): void {
    const reader = this.#reader;
    const length = reader.size();
    this.start = reader.pos;
    this.end = reader.pos + length;
    if (this.end > this.#end) throw new RangeError(`a length of ${length} reaches beyond its message`);
    reader.pos = this.end;
    if (this.#openGroups === 0) this.field = field;
  }

  #passOther(wire: number): void {
    if (wire === WIRE.startGroup) this.#openGroups++;
    else if (wire !== WIRE.endGroup) this.#reader.skipType(wire);
    else if (this.#openGroups-- === 0) throw new RangeError('a group ends that did not begin');
  }
}
