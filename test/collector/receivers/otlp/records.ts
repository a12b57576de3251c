import type {
  OtlpAttributes,
  OtlpLogRecord,
  OtlpResource,
  OtlpScope,
  OtlpSpan,
  OtlpSpanEvent,
} from '../../../../collector/otlp/otlp-records.js';
import type { JsonValue } from '../../../../core/event/json.js';
export const TRACE = '5b8efff798038103d269b633813fc60c';
export const SPAN = 'eee19b7ec3c1b174';
export const SERVER_SPAN = 'eee19b7ec3c1b173';
export const TIME = 1_700_000_000_123_456_789n;
export const STACK = 'TypeError: boom\n    at f (/a.js:1:2)';

type Values = Readonly<Record<string, JsonValue>>;

export function attributes(values: Values = {}): OtlpAttributes {
  return new Map(Object.entries(values));
}

export function resource(values: Values = {}, others: Partial<OtlpResource> = {}): OtlpResource {
  return { attributes: attributes(values), droppedAttributesCount: 0, schemaUrl: '', ...others };
}

export function scope(others: Partial<OtlpScope> = {}): OtlpScope {
  return { name: '', version: '', attributes: attributes(), droppedAttributesCount: 0, schemaUrl: '', ...others };
}

export function logRecord(values: Values = {}, others: Partial<OtlpLogRecord> = {}): OtlpLogRecord {
  return {
    resource: resource({ 'service.name': 'checkout' }),
    scope: scope(),
    timeUnixNano: TIME,
    observedTimeUnixNano: 0n,
    severityNumber: 17,
    severityText: '',
    body: null,
    attributes: attributes(values),
    droppedAttributesCount: 0,
    flags: 0,
    traceId: '',
    spanId: '',
    eventName: '',
    ...others,
  };
}

export function span(values: Values = {}, others: Partial<OtlpSpan> = {}): OtlpSpan {
  return {
    resource: resource({ 'service.name': 'checkout' }),
    scope: scope(),
    traceId: TRACE,
    spanId: SPAN,
    parentSpanId: '',
    traceState: '',
    name: 'work',
    kind: 1,
    startTimeUnixNano: 0n,
    endTimeUnixNano: 0n,
    attributes: attributes(values),
    droppedAttributesCount: 0,
    events: [],
    status: { code: 0, message: '' },
    flags: 0,
    ...others,
  };
}

export function spanEvent(values: Values = {}, others: Partial<OtlpSpanEvent> = {}): OtlpSpanEvent {
  return {
    timeUnixNano: TIME,
    name: 'exception',
    attributes: attributes(values),
    droppedAttributesCount: 0,
    ...others,
  };
}
