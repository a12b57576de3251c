import { isJsonObject, type JsonValue } from '../../../../core/event/json.js';
import {
  bodyOf,
  enumOf,
  listOf,
  nanosOf,
  parseAttributes,
  protoName,
  textOf,
  uint32Of,
} from '../../../otlp/json-values.js';
import {
  countMember,
  knownId,
  type MemberCount,
  type OtlpAttributes,
  type OtlpLogRecord,
  type OtlpResource,
  type OtlpScope,
  type OtlpSpan,
  type OtlpSpanEvent,
  SPAN_ID_LENGTH,
  TRACE_ID_LENGTH,
} from '../../../otlp/otlp-records.js';
import {
  decodeFields,
  decodeMessage,
  type ProtobufFields,
  type ProtobufReader,
  WIRE,
} from '../../../otlp/protobuf-reader.js';
import { readBody, readId, readKeyValue, readNanos } from '../../../otlp/protobuf-values.js';

/** A kind of field: its value if it is absent, and how both encodings hold it. */
interface Kind<Value> {
  readonly absent: Value;
  /** Protobuf wire type. */
  readonly wire: number;
  /** `before` is the value of an earlier field with the same number. */
  readonly fromProtobuf: (reader: ProtobufReader, before: Value) => Value;
  /** Invalid values count as absent or stay text. Throws Fault `EVENT_TOO_MANY_MEMBERS`. */
  readonly fromJson: (value: JsonValue | undefined, count: MemberCount) => Value;
}

const TEXT: Kind<string> = {
  absent: '',
  wire: WIRE.bytes,
  fromProtobuf: (reader) => reader.string(),
  fromJson: textOf,
};
const NANOS: Kind<bigint> = { absent: 0n, wire: WIRE.fixed64, fromProtobuf: readNanos, fromJson: nanosOf };
const COUNT: Kind<number> = {
  absent: 0,
  wire: WIRE.varint,
  fromProtobuf: (reader) => reader.uint32(),
  fromJson: uint32Of,
};
const FLAGS: Kind<number> = {
  absent: 0,
  wire: WIRE.fixed32,
  fromProtobuf: (reader) => reader.fixed32() & 0xff,
  fromJson: (value) => uint32Of(value) & 0xff,
};
const BODY: Kind<JsonValue> = { absent: null, wire: WIRE.bytes, fromProtobuf: readBody, fromJson: bodyOf };
const NO_ATTRIBUTES: OtlpAttributes = new Map();
const ATTRIBUTES: Kind<OtlpAttributes> = {
  absent: NO_ATTRIBUTES,
  wire: WIRE.bytes,
  fromProtobuf(reader, before) {
    const attributes = before === NO_ATTRIBUTES ? new Map<string, JsonValue>() : (before as Map<string, JsonValue>);
    readKeyValue(reader, attributes);
    return attributes;
  },
  fromJson: parseAttributes,
};

function idOf(length: number): Kind<string> {
  return {
    absent: '',
    wire: WIRE.bytes,
    fromProtobuf: (reader) => readId(reader, length),
    fromJson: (value) => idIn(textOf(value), length),
  };
}

/** Writers of plain protobuf JSON write the bytes of an id in base64, which is shorter than its hexadecimal digits. */
function idIn(text: string, length: number): string {
  return knownId(text.length < length ? Buffer.from(text, 'base64').toString('hex') : text, length);
}

/** `names` are those of the numbers from `first` on. */
function enumOfNames(names: readonly string[], first = 0): Kind<number> {
  const numbers = new Map(names.map((name, index) => [name, first + index]));
  return {
    absent: 0,
    wire: WIRE.varint,
    fromProtobuf: (reader) => reader.int32(),
    fromJson: (value) => enumOf(value, numbers),
  };
}

function nested<Message>({ fields, empty, fromJson }: MessageType<Message>): Kind<Message> {
  const absent = empty({});
  return {
    absent,
    wire: WIRE.bytes,
    fromProtobuf(reader, before) {
      const draft = { ...before } as Draft;
      decodeMessage(reader, fields, draft);
      return draft as Message;
    },
    fromJson: (value, count) => fromJson(value, count, absent),
  };
}

function listOfMessages<Message>(type: MessageType<Message>): Kind<readonly Message[]> {
  const { absent, wire, fromProtobuf, fromJson } = nested(type);
  return {
    absent: [],
    wire,
    fromProtobuf(reader, before) {
      countMember(reader);
      const list = before.length === 0 ? [] : (before as Message[]);
      list.push(fromProtobuf(reader, absent));
      return list;
    },
    fromJson: (value, count) =>
      listOf(value)
        .filter(isJsonObject)
        .map((item) => {
          countMember(count);
          return fromJson(item, count);
        }),
  };
}

/** The number and kind of each field of a message. */
type MessageFields<Message> = {
  readonly [Name in keyof Message]: readonly [number: number, kind: Kind<Message[Name]>];
};

/** A type of message in both encodings. */
export interface MessageType<Message> {
  readonly fields: ProtobufFields<Draft>;
  /** Creates a message without fields; `around` has the members that the message itself does not hold. */
  empty(around: object): Message;
  /** Reads fields up to the reader's `len` into a copy of `before`: copying is faster than creating a message. */
  fromProtobuf(reader: ProtobufReader, before: Message): Message;
  /** As `fromProtobuf`. A value that is not an object counts as empty. Throws Fault `EVENT_TOO_MANY_MEMBERS`. */
  fromJson(value: JsonValue | undefined, count: MemberCount, before: Message): Message;
}

/** A message under construction. */
type Draft = Record<string, unknown>;

function messageOf<Message, Around extends keyof Message = never>(
  table: MessageFields<Omit<Message, Around>>,
): MessageType<Message> {
  const entries: [string, readonly [number, Kind<unknown>]][] = Object.entries(table);
  const absent: Draft = Object.fromEntries(entries.map(([name, [, kind]]) => [name, kind.absent]));
  const fields = Object.fromEntries(
    entries.map(([name, [number, { wire, fromProtobuf }]]) => {
      const read = (draft: Draft, reader: ProtobufReader): void => {
        draft[name] = fromProtobuf(reader, draft[name]);
      };
      return [number, { wire, read }];
    }),
  );
  const members = entries.map(([name, [, { fromJson }]]) => ({ name, other: protoName(name), fromJson }));
  return {
    fields,
    empty: (around) => ({ ...absent, ...around }) as Message,
    fromProtobuf(reader, before) {
      const draft = { ...before } as Draft;
      decodeFields(reader, fields, draft);
      return draft as Message;
    },
    fromJson(value, count, before) {
      const object = isJsonObject(value) ? value : {};
      const draft = { ...before } as Draft;
      for (const { name, other, fromJson } of members) {
        draft[name] = fromJson(object[name] ?? object[other] ?? undefined, count);
      }
      return draft as Message;
    },
  };
}

export const RESOURCE = messageOf<OtlpResource, 'schemaUrl'>({
  attributes: [1, ATTRIBUTES],
  droppedAttributesCount: [2, COUNT],
});

export const SCOPE = messageOf<OtlpScope, 'schemaUrl'>({
  name: [1, TEXT],
  version: [2, TEXT],
  attributes: [3, ATTRIBUTES],
  droppedAttributesCount: [4, COUNT],
});

/** `SEVERITY_NUMBER_TRACE`, `SEVERITY_NUMBER_TRACE2` and so on, four of each, from 1. */
const SEVERITIES = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'].flatMap((range) =>
  ['', '2', '3', '4'].map((step) => `SEVERITY_NUMBER_${range}${step}`),
);

export const LOG_RECORD = messageOf<OtlpLogRecord, 'resource' | 'scope'>({
  timeUnixNano: [1, NANOS],
  observedTimeUnixNano: [11, NANOS],
  severityNumber: [2, enumOfNames(SEVERITIES, 1)],
  severityText: [3, TEXT],
  body: [5, BODY],
  attributes: [6, ATTRIBUTES],
  droppedAttributesCount: [7, COUNT],
  flags: [8, FLAGS],
  traceId: [9, idOf(TRACE_ID_LENGTH)],
  spanId: [10, idOf(SPAN_ID_LENGTH)],
  eventName: [12, TEXT],
});

const SPAN_EVENT = messageOf<OtlpSpanEvent>({
  timeUnixNano: [1, NANOS],
  name: [2, TEXT],
  attributes: [3, ATTRIBUTES],
  droppedAttributesCount: [4, COUNT],
});

const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];

export const SPAN = messageOf<OtlpSpan, 'resource' | 'scope'>({
  traceId: [1, idOf(TRACE_ID_LENGTH)],
  spanId: [2, idOf(SPAN_ID_LENGTH)],
  parentSpanId: [4, idOf(SPAN_ID_LENGTH)],
  traceState: [3, TEXT],
  name: [5, TEXT],
  kind: [6, enumOfNames(KINDS.map((kind) => `SPAN_KIND_${kind}`))],
  startTimeUnixNano: [7, NANOS],
  endTimeUnixNano: [8, NANOS],
  attributes: [9, ATTRIBUTES],
  droppedAttributesCount: [10, COUNT],
  events: [11, listOfMessages(SPAN_EVENT)],
  status: [
    15,
    nested(
      messageOf<OtlpSpan['status']>({
        code: [3, enumOfNames(['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR'])],
        message: [2, TEXT],
      }),
    ),
  ],
  flags: [16, FLAGS],
});
