import type { JsonObject } from '../../../core/event/json.js';
import type { MemberCount } from './decode-limits.js';
import { anyValueOf, attributesOf } from './json-any-value.js';
import { type MemberName, memberOf } from './json-member.js';
import { DROPPED_ATTRIBUTES_COUNT, SPAN_ID, TIME_UNIX_NANO, TRACE_ID } from './json-names.js';
import { enumOf, nanosOf, textOf, uint32Of } from './json-scalars.js';
import { knownId, SPAN_ID_LENGTH, TRACE_ID_LENGTH } from './known-id.js';
import type { OtlpLogRecord, OtlpResource, OtlpScope } from './otlp-records.js';

const OBSERVED_TIME_UNIX_NANO: MemberName = ['observedTimeUnixNano', 'observed_time_unix_nano'];
const SEVERITY_NUMBER: MemberName = ['severityNumber', 'severity_number'];
const SEVERITY_TEXT: MemberName = ['severityText', 'severity_text'];
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

/** A log record from its JSON: what is wrong in it is taken as absent, or kept as text. Throws Fault `EVENT_TOO_MANY_MEMBERS`. */
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
    attributes: attributesOf(record['attributes'], count),
    droppedAttributesCount: uint32Of(memberOf(record, DROPPED_ATTRIBUTES_COUNT)),
    flags: uint32Of(record['flags']) & 0xff,
    traceId: knownId(textOf(memberOf(record, TRACE_ID)), TRACE_ID_LENGTH),
    spanId: knownId(textOf(memberOf(record, SPAN_ID)), SPAN_ID_LENGTH),
    eventName: textOf(memberOf(record, EVENT_NAME)),
  };
}
