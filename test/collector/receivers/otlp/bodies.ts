import type { JsonObject, JsonValue } from '../../../../core/event/json.js';
import { SPAN, STACK, TRACE } from './records.js';

type Values = Readonly<Record<string, JsonValue>>;

/** The error that most of the bodies carry. */
export const ERROR: Values = {
  'exception.type': 'TypeError',
  'exception.message': 'boom',
  'exception.stacktrace': STACK,
};

/** Attributes in OTLP's JSON. */
function attributesJson(values: Values): JsonObject[] {
  return Object.entries(values).map(([key, value]) => {
    return { key, value: typeof value === 'number' ? { intValue: value } : { stringValue: String(value) } };
  });
}

const RESOURCE = { attributes: attributesJson({ 'service.name': 'checkout' }) };

/** A log record of severity ERROR in OTLP's JSON. */
export function logJson(values: Values = ERROR, others: JsonObject = {}): JsonObject {
  const ids = { traceId: TRACE, spanId: SPAN };
  return {
    timeUnixNano: '1700000000123456789',
    severityNumber: 17,
    attributes: attributesJson(values),
    ...ids,
    ...others,
  };
}

/** An inner span without events in OTLP's JSON. */
export function spanJson(values: Values = {}, others: JsonObject = {}): JsonObject {
  return { traceId: TRACE, spanId: SPAN, name: 'work', kind: 1, attributes: attributesJson(values), ...others };
}

/** An exception on a span in OTLP's JSON. */
export function exceptionJson(values: Values = ERROR, timeUnixNano = '1700000000123456789'): JsonObject {
  return { name: 'exception', timeUnixNano, attributes: attributesJson(values) };
}

export function logsBody(...logRecords: readonly JsonValue[]): string {
  return JSON.stringify({ resourceLogs: [{ resource: RESOURCE, scopeLogs: [{ logRecords }] }] });
}

export function tracesBody(...spans: readonly JsonValue[]): string {
  return JSON.stringify({ resourceSpans: [{ resource: RESOURCE, scopeSpans: [{ spans }] }] });
}

/** An ExportLogsServiceRequest with one log record of severity ERROR, as protobuf. */
export function logProtobuf(message: string): Buffer {
  const record = Buffer.concat([Buffer.from([0x10, 17]), field(5, field(1, Buffer.from(message)))]);
  return field(1, field(2, field(2, record)));
}

/** A length-delimited protobuf field. */
function field(number: number, value: Buffer): Buffer {
  const length: number[] = [];
  for (let rest = value.length; ; rest >>>= 7) {
    length.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
    if (rest <= 0x7f) break;
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), value]);
}
