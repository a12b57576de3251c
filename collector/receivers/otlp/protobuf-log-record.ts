import type { Draft } from './draft.js';
import type { OtlpLogRecord, OtlpResource, OtlpScope } from './otlp-records.js';
import { readAnyValue, readKeyValue } from './protobuf-any-value.js';
import { type ProtobufFields, type ProtobufReader, readFields, WIRE } from './protobuf-reader.js';
import { readNanos, readSpanId, readTraceId } from './protobuf-scalars.js';

const LOG_RECORD: ProtobufFields<Draft<OtlpLogRecord>> = {
  1: {
    wire: WIRE.fixed64,
    read: (draft, reader) => {
      draft.timeUnixNano = readNanos(reader);
    },
  },
  2: {
    wire: WIRE.varint,
    read: (draft, reader) => {
      draft.severityNumber = reader.int32();
    },
  },
  3: {
    wire: WIRE.bytes,
    read: (draft, reader) => {
      draft.severityText = reader.string();
    },
  },
  5: {
    wire: WIRE.bytes,
    read: (draft, reader) => {
      draft.body = readAnyValue(reader);
    },
  },
  6: { wire: WIRE.bytes, read: (draft, reader) => readKeyValue(reader, draft.attributes) },
  7: {
    wire: WIRE.varint,
    read: (draft, reader) => {
      draft.droppedAttributesCount = reader.uint32();
    },
  },
  8: {
    wire: WIRE.fixed32,
    read: (draft, reader) => {
      draft.flags = reader.fixed32() & 0xff;
    },
  },
  9: {
    wire: WIRE.bytes,
    read: (draft, reader) => {
      draft.traceId = readTraceId(reader);
    },
  },
  10: {
    wire: WIRE.bytes,
    read: (draft, reader) => {
      draft.spanId = readSpanId(reader);
    },
  },
  11: {
    wire: WIRE.fixed64,
    read: (draft, reader) => {
      draft.observedTimeUnixNano = readNanos(reader);
    },
  },
  12: {
    wire: WIRE.bytes,
    read: (draft, reader) => {
      draft.eventName = reader.string();
    },
  },
};

/** Reads a log record up to the reader's `len`. */
export function readLogRecord(reader: ProtobufReader, resource: OtlpResource, scope: OtlpScope): OtlpLogRecord {
  const draft: Draft<OtlpLogRecord> = {
    resource,
    scope,
    timeUnixNano: 0n,
    observedTimeUnixNano: 0n,
    severityNumber: 0,
    severityText: '',
    body: null,
    attributes: new Map(),
    droppedAttributesCount: 0,
    flags: 0,
    traceId: '',
    spanId: '',
    eventName: '',
  };
  readFields(reader, LOG_RECORD, draft);
  return draft;
}
