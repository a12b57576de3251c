import type { JsonObject, JsonValue } from '../../../../core/event/json.js';
import { bytesField, logsBody as protobufLogs, varintField } from './decode/wire.js';
import { SPAN, STACK, TRACE } from './records.js';

type Values = Readonly<Record<string, JsonValue>>;

/** The exception of most bodies. */
export const ERROR: Values = {
  'exception.type': 'TypeError',
  'exception.message': 'boom',
  'exception.stacktrace': STACK,
};

/** A value in OTLP JSON. */
export function anyValue(value: JsonValue): JsonObject {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'number') return { intValue: String(value) };
  if (typeof value === 'boolean') return { boolValue: value };
  if (value === null) return {};
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { kvlistValue: { values: attributesJson(value) } };
}

/** Attributes in OTLP JSON. */
export function attributesJson(values: Values): JsonObject[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }));
}

const RESOURCE = { attributes: attributesJson({ 'service.name': 'checkout' }) };

/** A log record of severity ERROR in OTLP JSON. */
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

/** An inner span without events in OTLP JSON. */
export function spanJson(values: Values = {}, others: JsonObject = {}): JsonObject {
  return { traceId: TRACE, spanId: SPAN, name: 'work', kind: 1, attributes: attributesJson(values), ...others };
}

/** A span event with an exception in OTLP JSON. */
export function exceptionJson(values: Values = ERROR, timeUnixNano = '1700000000123456789'): JsonObject {
  return { name: 'exception', timeUnixNano, attributes: attributesJson(values) };
}

export function logsBody(...logRecords: readonly JsonValue[]): string {
  return JSON.stringify({ resourceLogs: [{ resource: RESOURCE, scopeLogs: [{ logRecords }] }] });
}

export function tracesBody(...spans: readonly JsonValue[]): string {
  return JSON.stringify({ resourceSpans: [{ resource: RESOURCE, scopeSpans: [{ spans }] }] });
}

/** An ExportLogsServiceRequest with one log record of severity ERROR, in protobuf. */
export function logProtobuf(message: string): Buffer {
  return protobufLogs(Buffer.concat([varintField(2, 17), bytesField(5, bytesField(1, message))]));
}
