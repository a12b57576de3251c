import type { JsonObject, JsonValue } from '../../../../core/event/json.js';
import type { OtlpLogRecord, OtlpResource, OtlpScope, OtlpSpan, OtlpSpanEvent } from '../../../otlp/otlp-records.js';
import { recordLevel } from '../../../otlp/severity.js';
import { requestInBody } from '../decode/log-entry.js';
import { failureAttributes, hopsOfFailure, type OtlpFailure, timeOf, traceOf } from '../decode/otlp-failure.js';
import type { JoinedSpans, KnownSpan } from '../decode/span-cache.js';
import {
  AttributeReader,
  mapOnce,
  putFilled,
  type ResourceDefaults,
  type ResourceFields,
  readResource,
} from './attribute-reader.js';
import { readErrorFields } from './exception-attributes.js';
import type { RequestFieldReader, RequestFields } from './http-attributes.js';
import { restorePayload } from './restore-payload.js';

const NANOS_PER_SECOND = 1_000_000_000n;
const MS_PER_SECOND = 1_000;
const LATEST = 2n ** 64n - 1n;
const SECONDS_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length;

/**
 * Creates a formatter of nanoseconds since the epoch as RFC 3339 with nine digits; null for 0 and numbers beyond 64 bits. It caches the last
 * second, which records of a request mostly share, because formatting a date is slow.
 */
function createTimestampWriter(): (nanos: bigint) => string | null {
  let lastSecond: bigint | undefined;
  let lastText = '';
  return (nanos) => {
    if (nanos <= 0n || nanos > LATEST) return null;
    const second = nanos / NANOS_PER_SECOND;
    if (second !== lastSecond) {
      lastText = new Date(Number(second) * MS_PER_SECOND).toISOString().slice(0, SECONDS_LENGTH);
      lastSecond = second;
    }
    return `${lastText}.${String(nanos % NANOS_PER_SECOND).padStart(9, '0')}Z`;
  };
}

/** Maps a failure and the spans around it to a payload; values without a field go to `extra.otlp`. */
export type FailureMapper = (failure: OtlpFailure, joined: JoinedSpans) => JsonObject;

/** Attribute sources of a failure. */
interface Sources {
  readonly own: AttributeReader;
  readonly span: AttributeReader | undefined;
  /** Undefined if it is the span itself. */
  readonly server: AttributeReader | undefined;
}

/** Span kinds by number. */
const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
/** Client and producer spans describe an outgoing request; the server's incoming one precedes it. */
const OUTGOING_KINDS: readonly number[] = [3, 4];

/** Creates the mapper. */
export function createFailureMapper({
  defaults,
  requestFields,
  acceptsSampledCounts = false,
}: {
  readonly defaults: ResourceDefaults;
  readonly requestFields: RequestFieldReader;
  /** Whether a record of another Faultline may set the number of events it stands for; default false. */
  readonly acceptsSampledCounts?: boolean;
}): FailureMapper {
  const fieldsOf = mapOnce((resource: OtlpResource) => readResource(resource, defaults));
  const scopeOf = mapOnce(scopeExtra);
  const writeTimestamp = createTimestampWriter();

  return (failure, joined) => {
    const { resource, scope } = failure.signal === 'log' ? failure.record : failure.span;
    const ofResource = fieldsOf(resource);
    if (failure.signal === 'log' && hopsOfFailure(failure) > 0) {
      const timestamp = writeTimestamp(timeOf(failure));
      return restorePayload(failure.record, { ofResource, scope: scopeOf(scope), timestamp, acceptsSampledCounts });
    }
    const sources = sourcesOf(failure, joined);
    const error = readErrorFields(sources.own, wordsOf(failure, ofResource));
    const found = requestFields.findFields(inOrder(sources, spanOf(failure, joined)?.kind), traceOf(failure).traceId);
    const request = failure.signal === 'log' ? withBody(found, failure.record.body) : found;
    const otlp: JsonObject = {};
    putFilled(otlp, 'resource', ofResource.extra);
    putFilled(otlp, 'scope', scopeOf(scope));
    putFailure(otlp, failure, joined, sources, error.message);
    // All keys in the order of a raw line, so that all payloads have one hidden class.
    return {
      app: ofResource.app,
      env: ofResource.env,
      error_name: error.error_name,
      extra: { otlp },
      level: failure.signal === 'log' ? (failure.printedLevel ?? recordLevel(failure.record)) : 'error',
      message: error.message,
      method: request.method,
      release: ofResource.release,
      request_id: request.request_id,
      route: request.route,
      service: ofResource.service,
      session_id: request.session_id,
      stack: error.stack,
      status_code: request.status_code,
      tags: tagsOf(failure, scope, joined, ofResource.tags),
      timestamp: writeTimestamp(timeOf(failure)),
      user_id: request.user_id,
    };
  };
}

function sourcesOf(failure: OtlpFailure, { own, server }: JoinedSpans): Sources {
  const span = failure.signal === 'span_event' ? failure.span : own;
  const isServerApart = server !== undefined && server.spanId !== traceOf(failure).spanId;
  return {
    own: new AttributeReader(failureAttributes(failure)),
    span: span && new AttributeReader(span.attributes, span.name),
    server: isServerApart ? new AttributeReader(server.attributes, server.name) : undefined,
  };
}

/** Fills the fields that attributes and spans do not have. */
function withBody(found: RequestFields, body: JsonValue): JsonObject {
  const request: JsonObject = { ...found };
  for (const [key, value] of Object.entries(requestInBody(body))) {
    if (request[key] === null || request[key] === '') request[key] = value;
  }
  return request;
}

/** Nearest first. */
function inOrder({ own, span, server }: Sources, kind: number | undefined): AttributeReader[] {
  if (span === undefined && server === undefined) return [own];
  const isOutgoing = kind !== undefined && OUTGOING_KINDS.includes(kind);
  const spans = isOutgoing ? [server, span] : [span, server];
  return [own, ...spans.filter((source) => source !== undefined)];
}

function wordsOf(failure: OtlpFailure, { tags }: ResourceFields) {
  const isGo = tags['telemetry.sdk.language'] === 'go';
  if (failure.signal === 'log') {
    const { body, eventName } = failure.record;
    return { body, eventName, spanStatusMessage: '', isGo, isPrinted: failure.printedLevel !== undefined };
  }
  return {
    body: null,
    eventName: failure.event.name,
    spanStatusMessage: failure.span.status.message,
    isGo,
    isPrinted: false,
  };
}

function spanOf(
  failure: OtlpFailure,
  { own }: JoinedSpans,
): { readonly name: string; readonly kind: number } | undefined {
  return failure.signal === 'span_event' ? failure.span : own;
}

function tagsOf(
  failure: OtlpFailure,
  scope: OtlpScope,
  joined: JoinedSpans,
  ofResource: ResourceFields['tags'],
): Record<string, string> {
  const { traceId, spanId } = traceOf(failure);
  const span = spanOf(failure, joined);
  const tags: Record<string, string> = {};
  putFilled(tags, 'trace_id', traceId);
  putFilled(tags, 'span_id', spanId);
  putFilled(tags, 'event.name', failure.signal === 'log' ? failure.record.eventName : failure.event.name);
  putFilled(tags, 'otel.scope.name', scope.name);
  putFilled(tags, 'otel.scope.version', scope.version);
  if (span !== undefined) {
    putFilled(tags, 'span.name', span.name);
    putFilled(tags, 'span.kind', KINDS[span.kind] ?? String(span.kind));
  }
  tags['otlp.signal'] = failure.signal;
  for (const key in ofResource) putFilled(tags, key, ofResource[key] ?? '');
  return tags;
}

/** Adds the values of the failure and its spans that no field holds to `extra.otlp`. */
function putFailure(
  otlp: JsonObject,
  failure: OtlpFailure,
  { own, server }: JoinedSpans,
  sources: Sources,
  message: string,
): void {
  if (failure.signal === 'log') putLog(otlp, failure.record, sources.own, message);
  else putSpanEvent(otlp, failure.event, sources.own);
  if (sources.span !== undefined) {
    if (failure.signal === 'span_event') otlp['span'] = spanExtra(failure.span, sources.span);
    else if (own !== undefined) otlp['span'] = knownSpanExtra(own, sources.span);
  }
  if (server !== undefined && sources.server !== undefined) {
    otlp['server_span'] = knownSpanExtra(server, sources.server);
  }
}

/** Adds the members of `extra.otlp` for a log record; its body only if it differs from the message. */
function putLog(extra: JsonObject, record: OtlpLogRecord, attributes: AttributeReader, message: string): void {
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
function putSpanEvent(extra: JsonObject, event: OtlpSpanEvent, attributes: AttributeReader): void {
  putFilled(extra, 'attributes', attributes.rest());
  putFilled(extra, 'dropped_attributes_count', event.droppedAttributesCount);
  putFilled(extra, 'event_name', event.name);
}

/** Returns `extra.otlp.span` for a span of the same request. */
function spanExtra(span: OtlpSpan, attributes: AttributeReader): JsonObject {
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
function knownSpanExtra(span: KnownSpan, attributes: AttributeReader): JsonObject {
  const extra: JsonObject = { span_id: span.spanId, name: span.name, kind: span.kind };
  putFilled(extra, 'parent_span_id', span.parentSpanId);
  putFilled(extra, 'attributes', attributes.rest());
  return extra;
}

/** Returns `extra.otlp.scope`. */
function scopeExtra(scope: OtlpScope): JsonObject {
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
