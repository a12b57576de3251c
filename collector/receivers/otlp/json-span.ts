import { isJsonObject, type JsonObject } from '../../../core/event/json.js';
import { countMember, type MemberCount } from './decode-limits.js';
import { attributesOf } from './json-any-value.js';
import { listOf, type MemberName, memberOf, messageOf } from './json-member.js';
import { DROPPED_ATTRIBUTES_COUNT, SPAN_ID, TIME_UNIX_NANO, TRACE_ID } from './json-names.js';
import { enumOf, nanosOf, textOf, uint32Of } from './json-scalars.js';
import { knownId, SPAN_ID_LENGTH, TRACE_ID_LENGTH } from './known-id.js';
import type { OtlpResource, OtlpScope, OtlpSpan, OtlpSpanEvent } from './otlp-records.js';

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

/** A span from its JSON, as a log record. */
export function spanOf(span: JsonObject, resource: OtlpResource, scope: OtlpScope, count: MemberCount): OtlpSpan {
  const status = messageOf(span, 'status');
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
    attributes: attributesOf(span['attributes'], count),
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
    attributes: attributesOf(event['attributes'], count),
    droppedAttributesCount: uint32Of(memberOf(event, DROPPED_ATTRIBUTES_COUNT)),
  };
}
