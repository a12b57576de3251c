import { isJsonObject, type JsonObject } from '../../../../core/event/json.js';
import {
  anyValueOf,
  enumOf,
  listOf,
  type MemberName,
  memberOf,
  messageMember,
  nanosOf,
  parseAttributes,
  textOf,
  uint32Of,
} from '../../../otlp/json-values.js';
import {
  countMember,
  knownId,
  type MemberCount,
  type OtlpLogRecord,
  type OtlpResource,
  type OtlpScope,
  type OtlpSpan,
  type OtlpSpanEvent,
  SPAN_ID_LENGTH,
  TRACE_ID_LENGTH,
} from '../../../otlp/otlp-records.js';

const DROPPED_ATTRIBUTES_COUNT: MemberName = ['droppedAttributesCount', 'dropped_attributes_count'];
const TIME_UNIX_NANO: MemberName = ['timeUnixNano', 'time_unix_nano'];
const TRACE_ID: MemberName = ['traceId', 'trace_id'];
const SPAN_ID: MemberName = ['spanId', 'span_id'];
const OBSERVED_TIME_UNIX_NANO: MemberName = ['observedTimeUnixNano', 'observed_time_unix_nano'];
const SEVERITY_NUMBER: MemberName = ['severityNumber', 'severity_number'];
const SEVERITY_TEXT: MemberName = ['severityText', 'severity_text'];
const SCHEMA_URL: MemberName = ['schemaUrl', 'schema_url'];
const EVENT_NAME: MemberName = ['eventName', 'event_name'];

/** `SEVERITY_NUMBER_TRACE`, `SEVERITY_NUMBER_TRACE2` and so on, four of each, from 1. */
const SEVERITIES: ReadonlyMap<string, number> = new Map(
  ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'].flatMap((range, index) =>
    ['', '2', '3', '4'].map((step, offset): [string, number] => [
      `SEVERITY_NUMBER_${range}${step}`,
      index * 4 + offset + 1,
    ]),
  ),
);

/** Parses a log record; invalid members count as absent or stay text. Throws Fault `EVENT_TOO_MANY_MEMBERS`. */
export function logRecordOf(
  record: JsonObject,
  resource: OtlpResource,
  scope: OtlpScope,
  count: MemberCount,
): OtlpLogRecord {
  return {
    resource,
    scope,
    timeUnixNano: nanosOf(memberOf(record, TIME_UNIX_NANO)),
    observedTimeUnixNano: nanosOf(memberOf(record, OBSERVED_TIME_UNIX_NANO)),
    severityNumber: enumOf(memberOf(record, SEVERITY_NUMBER), SEVERITIES),
    severityText: textOf(memberOf(record, SEVERITY_TEXT)),
    body: anyValueOf(record['body'], count),
    attributes: parseAttributes(record['attributes'], count),
    droppedAttributesCount: uint32Of(memberOf(record, DROPPED_ATTRIBUTES_COUNT)),
    flags: uint32Of(record['flags']) & 0xff,
    traceId: knownId(textOf(memberOf(record, TRACE_ID)), TRACE_ID_LENGTH),
    spanId: knownId(textOf(memberOf(record, SPAN_ID)), SPAN_ID_LENGTH),
    eventName: textOf(memberOf(record, EVENT_NAME)),
  };
}

const PARENT_SPAN_ID: MemberName = ['parentSpanId', 'parent_span_id'];
const TRACE_STATE: MemberName = ['traceState', 'trace_state'];
const START_TIME_UNIX_NANO: MemberName = ['startTimeUnixNano', 'start_time_unix_nano'];
const END_TIME_UNIX_NANO: MemberName = ['endTimeUnixNano', 'end_time_unix_nano'];

const KINDS: ReadonlyMap<string, number> = new Map(
  ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'].map((kind, number) => [
    `SPAN_KIND_${kind}`,
    number,
  ]),
);
const STATUS_CODES: ReadonlyMap<string, number> = new Map(
  ['UNSET', 'OK', 'ERROR'].map((code, number) => [`STATUS_CODE_${code}`, number]),
);

/** Parses a span, as `logRecordOf`. */
export function spanOf(span: JsonObject, resource: OtlpResource, scope: OtlpScope, count: MemberCount): OtlpSpan {
  const status = messageMember(span, 'status');
  return {
    resource,
    scope,
    traceId: knownId(textOf(memberOf(span, TRACE_ID)), TRACE_ID_LENGTH),
    spanId: knownId(textOf(memberOf(span, SPAN_ID)), SPAN_ID_LENGTH),
    parentSpanId: knownId(textOf(memberOf(span, PARENT_SPAN_ID)), SPAN_ID_LENGTH),
    traceState: textOf(memberOf(span, TRACE_STATE)),
    name: textOf(span['name']),
    kind: enumOf(span['kind'], KINDS),
    startTimeUnixNano: nanosOf(memberOf(span, START_TIME_UNIX_NANO)),
    endTimeUnixNano: nanosOf(memberOf(span, END_TIME_UNIX_NANO)),
    attributes: parseAttributes(span['attributes'], count),
    droppedAttributesCount: uint32Of(memberOf(span, DROPPED_ATTRIBUTES_COUNT)),
    events: listOf(span['events'])
      .filter(isJsonObject)
      .map((event) => eventOf(event, count)),
    statusCode: enumOf(status['code'], STATUS_CODES),
    statusMessage: textOf(status['message']),
    flags: uint32Of(span['flags']) & 0xff,
  };
}

function eventOf(event: JsonObject, count: MemberCount): OtlpSpanEvent {
  countMember(count);
  return {
    timeUnixNano: nanosOf(memberOf(event, TIME_UNIX_NANO)),
    name: textOf(event['name']),
    attributes: parseAttributes(event['attributes'], count),
    droppedAttributesCount: uint32Of(memberOf(event, DROPPED_ATTRIBUTES_COUNT)),
  };
}

/** Parses the resource of a `resourceLogs` or `resourceSpans` element. Throws as `logRecordOf`. */
export function resourceOf(group: JsonObject, count: MemberCount): OtlpResource {
  const resource = messageMember(group, 'resource');
  return {
    attributes: parseAttributes(resource['attributes'], count),
    droppedAttributesCount: uint32Of(memberOf(resource, DROPPED_ATTRIBUTES_COUNT)),
    schemaUrl: textOf(memberOf(group, SCHEMA_URL)),
  };
}

/** Parses the scope of a `scopeLogs` or `scopeSpans` element. Throws as `logRecordOf`. */
export function scopeOf(envelope: JsonObject, count: MemberCount): OtlpScope {
  const scope = messageMember(envelope, 'scope');
  return {
    name: textOf(scope['name']),
    version: textOf(scope['version']),
    attributes: parseAttributes(scope['attributes'], count),
    droppedAttributesCount: uint32Of(memberOf(scope, DROPPED_ATTRIBUTES_COUNT)),
    schemaUrl: textOf(memberOf(envelope, SCHEMA_URL)),
  };
}
