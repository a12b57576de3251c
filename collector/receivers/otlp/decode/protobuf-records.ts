import {
  countMember,
  type OtlpDraft,
  type OtlpLogRecord,
  type OtlpResource,
  type OtlpScope,
  type OtlpSpan,
  type OtlpSpanEvent,
} from '../../../otlp/otlp-records.js';
import {
  bytes,
  decodeFields,
  decodeMessage,
  fixed32,
  fixed64,
  type ProtobufFields,
  type ProtobufReader,
  varint,
} from '../../../otlp/protobuf-reader.js';
import { readAnyValue, readKeyValue, readNanos, readSpanId, readTraceId } from '../../../otlp/protobuf-values.js';

const DROPPED_ATTRIBUTES_COUNT = varint<{ droppedAttributesCount: number }>((draft, reader) => {
  draft.droppedAttributesCount = reader.uint32();
});

const RESOURCE: ProtobufFields<OtlpDraft<OtlpResource>> = {
  1: bytes((draft, reader) => readKeyValue(reader, draft.attributes)),
  2: DROPPED_ATTRIBUTES_COUNT,
};

const SCOPE: ProtobufFields<OtlpDraft<OtlpScope>> = {
  1: bytes((draft, reader) => {
    draft.name = reader.string();
  }),
  2: bytes((draft, reader) => {
    draft.version = reader.string();
  }),
  3: bytes((draft, reader) => readKeyValue(reader, draft.attributes)),
  4: DROPPED_ATTRIBUTES_COUNT,
};

/** Reads a resource up to the reader's `len`. */
export function readResource(reader: ProtobufReader, schemaUrl: string): OtlpResource {
  const draft = { attributes: new Map(), droppedAttributesCount: 0, schemaUrl };
  decodeFields(reader, RESOURCE, draft);
  return draft;
}

/** Reads a scope up to the reader's `len`. */
export function readScope(reader: ProtobufReader, schemaUrl: string): OtlpScope {
  const draft = { name: '', version: '', attributes: new Map(), droppedAttributesCount: 0, schemaUrl };
  decodeFields(reader, SCOPE, draft);
  return draft;
}

const LOG_RECORD: ProtobufFields<OtlpDraft<OtlpLogRecord>> = {
  1: fixed64((draft, reader) => {
    draft.timeUnixNano = readNanos(reader);
  }),
  2: varint((draft, reader) => {
    draft.severityNumber = reader.int32();
  }),
  3: bytes((draft, reader) => {
    draft.severityText = reader.string();
  }),
  5: bytes((draft, reader) => {
    draft.body = readAnyValue(reader);
  }),
  6: bytes((draft, reader) => readKeyValue(reader, draft.attributes)),
  7: DROPPED_ATTRIBUTES_COUNT,
  8: fixed32((draft, reader) => {
    draft.flags = reader.fixed32() & 0xff;
  }),
  9: bytes((draft, reader) => {
    draft.traceId = readTraceId(reader);
  }),
  10: bytes((draft, reader) => {
    draft.spanId = readSpanId(reader);
  }),
  11: fixed64((draft, reader) => {
    draft.observedTimeUnixNano = readNanos(reader);
  }),
  12: bytes((draft, reader) => {
    draft.eventName = reader.string();
  }),
};

/** Reads a log record up to the reader's `len`. */
export function readLogRecord(reader: ProtobufReader, resource: OtlpResource, scope: OtlpScope): OtlpLogRecord {
  const draft: OtlpDraft<OtlpLogRecord> = {
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
  decodeFields(reader, LOG_RECORD, draft);
  return draft;
}

const EVENT: ProtobufFields<OtlpDraft<OtlpSpanEvent>> = {
  1: fixed64((draft, reader) => {
    draft.timeUnixNano = readNanos(reader);
  }),
  2: bytes((draft, reader) => {
    draft.name = reader.string();
  }),
  3: bytes((draft, reader) => readKeyValue(reader, draft.attributes)),
  4: DROPPED_ATTRIBUTES_COUNT,
};

const STATUS: ProtobufFields<OtlpDraft<OtlpSpan>> = {
  2: bytes((draft, reader) => {
    draft.statusMessage = reader.string();
  }),
  3: varint((draft, reader) => {
    draft.statusCode = reader.int32();
  }),
};

const SPAN: ProtobufFields<OtlpDraft<OtlpSpan>> = {
  1: bytes((draft, reader) => {
    draft.traceId = readTraceId(reader);
  }),
  2: bytes((draft, reader) => {
    draft.spanId = readSpanId(reader);
  }),
  3: bytes((draft, reader) => {
    draft.traceState = reader.string();
  }),
  4: bytes((draft, reader) => {
    draft.parentSpanId = readSpanId(reader);
  }),
  5: bytes((draft, reader) => {
    draft.name = reader.string();
  }),
  6: varint((draft, reader) => {
    draft.kind = reader.int32();
  }),
  7: fixed64((draft, reader) => {
    draft.startTimeUnixNano = readNanos(reader);
  }),
  8: fixed64((draft, reader) => {
    draft.endTimeUnixNano = readNanos(reader);
  }),
  9: bytes((draft, reader) => readKeyValue(reader, draft.attributes)),
  10: DROPPED_ATTRIBUTES_COUNT,
  11: bytes((draft, reader) => draft.events.push(readEvent(reader))),
  15: bytes((draft, reader) => decodeMessage(reader, STATUS, draft)),
  16: fixed32((draft, reader) => {
    draft.flags = reader.fixed32() & 0xff;
  }),
};

/** Reads a span up to the reader's `len`. */
export function readSpan(reader: ProtobufReader, resource: OtlpResource, scope: OtlpScope): OtlpSpan {
  const draft: OtlpDraft<OtlpSpan> = {
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
  decodeFields(reader, SPAN, draft);
  return draft;
}

function readEvent(reader: ProtobufReader): OtlpSpanEvent {
  countMember(reader);
  const draft: OtlpDraft<OtlpSpanEvent> = {
    timeUnixNano: 0n,
    name: '',
    attributes: new Map(),
    droppedAttributesCount: 0,
  };
  decodeMessage(reader, EVENT, draft);
  return draft;
}
