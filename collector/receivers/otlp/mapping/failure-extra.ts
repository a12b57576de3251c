import type { JsonObject } from '../../../../core/event/json.js';
import type { OtlpLogRecord, OtlpScope, OtlpSpan, OtlpSpanEvent } from '../../../otlp/otlp-records.js';
import type { KnownSpan } from '../decode/span-cache.js';
import { type AttributeReader, putFilled } from './attribute-reader.js';

/** Adds the members of `extra.otlp` for a log record; its body only if it differs from the message. */
export function putLog(extra: JsonObject, record: OtlpLogRecord, attributes: AttributeReader, message: string): void {
  putFilled(extra, 'attributes', attributes.rest());
  putFilled(extra, 'dropped_attributes_count', record.droppedAttributesCount);
  if (record.body !== null && record.body !== message) extra['body'] = record.body;
  putFilled(extra, 'event_name', record.eventName);
  putFilled(extra, 'severity_number', record.severityNumber);
  putFilled(extra, 'severity_text', record.severityText);
  putFilled(extra, 'flags', record.flags);
  if (record.observedTimeUnixNano !== record.timeUnixNano) {
    putNanos(extra, 'observed_time_unix_nano', record.observedTimeUnixNano);
  }
}

/** Adds the members of `extra.otlp` for a span event. */
export function putSpanEvent(extra: JsonObject, event: OtlpSpanEvent, attributes: AttributeReader): void {
  putFilled(extra, 'attributes', attributes.rest());
  putFilled(extra, 'dropped_attributes_count', event.droppedAttributesCount);
  putFilled(extra, 'event_name', event.name);
}

/** Returns `extra.otlp.span` for a span of the same request. */
export function spanExtra(span: OtlpSpan, attributes: AttributeReader): JsonObject {
  const extra: JsonObject = { name: span.name, kind: span.kind };
  putFilled(extra, 'parent_span_id', span.parentSpanId);
  putFilled(extra, 'trace_state', span.traceState);
  putNanos(extra, 'start_time_unix_nano', span.startTimeUnixNano);
  putNanos(extra, 'end_time_unix_nano', span.endTimeUnixNano);
  putFilled(extra, 'attributes', attributes.rest());
  putFilled(extra, 'dropped_attributes_count', span.droppedAttributesCount);
  putFilled(extra, 'status_code', span.status.code);
  putFilled(extra, 'status_message', span.status.message);
  putFilled(extra, 'flags', span.flags);
  return extra;
}

/** Returns `extra.otlp.span` or `server_span` for a cached span. */
export function knownSpanExtra(span: KnownSpan, attributes: AttributeReader): JsonObject {
  const extra: JsonObject = { span_id: span.spanId, name: span.name, kind: span.kind };
  putFilled(extra, 'parent_span_id', span.parentSpanId);
  putFilled(extra, 'attributes', attributes.rest());
  return extra;
}

/** Returns `extra.otlp.scope`. */
export function scopeExtra(scope: OtlpScope): JsonObject {
  const extra: JsonObject = {};
  putFilled(extra, 'name', scope.name);
  putFilled(extra, 'version', scope.version);
  putFilled(extra, 'attributes', Object.fromEntries(scope.attributes));
  putFilled(extra, 'dropped_attributes_count', scope.droppedAttributesCount);
  putFilled(extra, 'schema_url', scope.schemaUrl);
  return extra;
}

/** Nanoseconds since the epoch as text, because they exceed safe integers. */
function putNanos(extra: JsonObject, key: string, nanos: bigint): void {
  if (nanos !== 0n) extra[key] = String(nanos);
}
