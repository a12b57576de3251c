import type { JsonObject, JsonValue } from '../../../core/event/json.js';
import type { NormalizedEvent } from '../../../core/event/normalized-event.js';
import { parseTimestamp } from '../../../core/normalize/timestamp.js';
import type { FollowedEvent } from '../../../core/storage/following/record-follower.js';
import { RESOURCE_FIELDS } from '../../otlp/faultline-record.js';
import { type Level, levelOfSeverity } from '../../otlp/severity.js';
import type { Steps } from '../../processors/event-processor/steps.js';
import { membersOf } from './any-value.js';
import { type LogRecord, objectIn, type RecordResource, type RecordScope } from './log-record.js';
import { isException, MEMBERS_AT_ONCE, recordAttributes } from './record-attributes.js';

/** The first of the four severity numbers of a level. */
const NUMBER_OF_LEVEL: Readonly<Record<Level, number>> = {
  trace: 1,
  debug: 5,
  info: 9,
  warn: 13,
  error: 17,
  fatal: 21,
};
const TRACE_ID = /^(?!0*$)[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0*$)[0-9a-f]{16}$/;
const MAX_FLAGS = 0xff;
/** Backends store times as signed 64-bit nanoseconds. */
const LAST_NANO = 2n ** 63n - 1n;

/** Maps an event to a log record by the semantic conventions; the inverse of the OTLP receiver's mapping. */
export function* toLogRecord(event: FollowedEvent): Steps<LogRecord> {
  const { normalized, payload, receivedAtMicros } = event;
  const otlp = objectIn(payload.extra, 'otlp');
  const traceId = idOf(payload.tags['trace_id'], TRACE_ID);
  const bare = {
    resource: yield* resourceOf(normalized, objectIn(otlp, 'resource')),
    scope: yield* scopeOf(otlp),
    timeUnixNano: nanosOf(normalized.timestamp),
    observedTimeUnixNano: BigInt(receivedAtMicros) * 1000n,
    ...severityOf(payload.level ?? normalized.level, otlp),
    body: otlp['body'] ?? normalized.message,
    flags: flagsOf(otlp),
    traceId,
    // A span belongs to a trace.
    spanId: traceId === '' ? '' : idOf(payload.tags['span_id'], SPAN_ID),
    eventName: textIn(otlp, 'event_name') || (isException(normalized) ? 'exception' : ''),
  };
  const { attributes, ofResource } = yield* recordAttributes(event, bare);
  const { resource: own } = bare;
  const resource = ofResource.size === 0 ? own : { ...own, attributes: new Map([...own.attributes, ...ofResource]) };
  return { ...bare, attributes, resource };
}

function* resourceOf(normalized: NormalizedEvent, extra: JsonObject): Steps<RecordResource> {
  const attributes = yield* copyAttributes(extra);
  for (const { name, attribute } of RESOURCE_FIELDS) {
    const value = normalized[name];
    if (value !== null) attributes.set(attribute, value);
  }
  return { attributes, schemaUrl: textIn(extra, 'schema_url') };
}

/** An event received by OTLP has its own scope, or none. */
function* scopeOf(otlp: JsonObject): Steps<RecordScope> {
  const extra = objectIn(otlp, 'scope');
  return {
    name: Object.keys(otlp).length > 0 ? textIn(extra, 'name') : 'faultline',
    version: textIn(extra, 'version'),
    attributes: yield* copyAttributes(extra),
    schemaUrl: textIn(extra, 'schema_url'),
  };
}

function* copyAttributes(extra: JsonObject): Steps<Map<string, JsonValue>> {
  const attributes = new Map<string, JsonValue>();
  for (const [key, value] of membersOf(objectIn(extra, 'attributes'))) {
    attributes.set(key, value);
    if (attributes.size % MEMBERS_AT_ONCE === 0) yield;
  }
  return attributes;
}

/** Returns nanoseconds since the epoch; 0, which means unknown, if the time is outside the range. */
function nanosOf(timestamp: string): bigint {
  const instant = parseTimestamp(timestamp);
  const nanos = instant === undefined ? 0n : BigInt(instant.ms) * 1_000_000n + BigInt(instant.nanos);
  return nanos < 0n || nanos > LAST_NANO ? 0n : nanos;
}

/** Returns the received severity if it still has the event's level. */
function severityOf(level: string, otlp: JsonObject): Pick<LogRecord, 'severityNumber' | 'severityText'> {
  const received = otlp['severity_number'];
  const known = levelOfSeverity(0, level);
  const isSame =
    typeof received === 'number' &&
    Number.isInteger(received) &&
    received <= 24 &&
    levelOfSeverity(received, '') === known;
  const severityNumber = isSame && received >= 1 ? received : known === undefined ? 0 : NUMBER_OF_LEVEL[known];
  return { severityNumber, severityText: (isSame && textIn(otlp, 'severity_text')) || level };
}

function flagsOf(otlp: JsonObject): number {
  const { flags } = otlp;
  return typeof flags === 'number' && Number.isInteger(flags) && flags >= 0 && flags <= MAX_FLAGS ? flags : 0;
}

function idOf(tag: string | undefined, form: RegExp): string {
  return tag !== undefined && tag.length <= 32 && form.test(tag) ? tag : '';
}

function textIn(value: JsonObject, key: string): string {
  const member = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof member === 'string' ? member : '';
}
