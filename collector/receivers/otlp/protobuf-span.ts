import { countMember } from './decode-limits.js';
import type { Draft } from './draft.js';
import type { OtlpResource, OtlpScope, OtlpSpan, OtlpSpanEvent } from './otlp-records.js';
import { readKeyValue } from './protobuf-any-value.js';
import { type ProtobufFields, type ProtobufReader, readFields, readMessage, WIRE } from './protobuf-reader.js';
import { readNanos, readSpanId, readTraceId } from './protobuf-scalars.js';

const EVENT: ProtobufFields<Draft<OtlpSpanEvent>> = {
  1: {
    wire: WIRE.fixed64,
    read: (draft, reader) => {
      draft.timeUnixNano = readNanos(reader);
    },
  },
  2: {
    wire: WIRE.bytes,
    read: (draft, reader) => {
      draft.name = reader.string();
    },
  },
  3: { wire: WIRE.bytes, read: (draft, reader) => readKeyValue(reader, draft.attributes) },
  4: {
    wire: WIRE.varint,
    read: (draft, reader) => {
      draft.droppedAttributesCount = reader.uint32();
    },
  },
};

const STATUS: ProtobufFields<Draft<OtlpSpan>> = {
  2: {
    wire: WIRE.bytes,
    read: (draft, reader) => {
      draft.statusMessage = reader.string();
    },
  },
  3: {
    wire: WIRE.varint,
    read: (draft, reader) => {
      draft.statusCode = reader.int32();
    },
  },
};

const SPAN: ProtobufFields<Draft<OtlpSpan>> = {
  1: {
    wire: WIRE.bytes,
    read: (draft, reader) => {
      draft.traceId = readTraceId(reader);
    },
  },
  2: {
    wire: WIRE.bytes,
    read: (draft, reader) => {
      draft.spanId = readSpanId(reader);
    },
  },
  3: {
    wire: WIRE.bytes,
    read: (draft, reader) => {
      draft.traceState = reader.string();
    },
  },
  4: {
    wire: WIRE.bytes,
    read: (draft, reader) => {
      draft.parentSpanId = readSpanId(reader);
    },
  },
  5: {
    wire: WIRE.bytes,
    read: (draft, reader) => {
      draft.name = reader.string();
    },
  },
  6: {
    wire: WIRE.varint,
    read: (draft, reader) => {
      draft.kind = reader.int32();
    },
  },
  7: {
    wire: WIRE.fixed64,
    read: (draft, reader) => {
      draft.startTimeUnixNano = readNanos(reader);
    },
  },
  8: {
    wire: WIRE.fixed64,
    read: (draft, reader) => {
      draft.endTimeUnixNano = readNanos(reader);
    },
  },
  9: { wire: WIRE.bytes, read: (draft, reader) => readKeyValue(reader, draft.attributes) },
  10: {
    wire: WIRE.varint,
    read: (draft, reader) => {
      draft.droppedAttributesCount = reader.uint32();
    },
  },
  11: { wire: WIRE.bytes, read: (draft, reader) => draft.events.push(readEvent(reader)) },
  15: { wire: WIRE.bytes, read: (draft, reader) => readMessage(reader, STATUS, draft) },
  16: {
    wire: WIRE.fixed32,
    read: (draft, reader) => {
      draft.flags = reader.fixed32() & 0xff;
    },
  },
};

/** Reads a span up to the reader's `len`. */
export function readSpan(reader: ProtobufReader, resource: OtlpResource, scope: OtlpScope): OtlpSpan {
  const draft: Draft<OtlpSpan> = {
    resource,
    scope,
    traceId: '',
    spanId: '',
    parentSpanId: '',
    traceState: '',
    name: '',
    kind: 0,
    startTimeUnixNano: 0n,
    endTimeUnixNano: 0n,
    attributes: new Map(),
    droppedAttributesCount: 0,
    events: [],
    statusCode: 0,
    statusMessage: '',
    flags: 0,
  };
  readFields(reader, SPAN, draft);
  return draft;
}

function readEvent(reader: ProtobufReader): OtlpSpanEvent {
  countMember(reader);
  const draft: Draft<OtlpSpanEvent> = { timeUnixNano: 0n, name: '', attributes: new Map(), droppedAttributesCount: 0 };
  readMessage(reader, EVENT, draft);
  return draft;
}
