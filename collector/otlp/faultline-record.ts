import { isJsonObject, type JsonObject, type JsonValue } from '../../core/event/json.js';
import type { RawPayload } from '../../core/event/raw-payload.js';
import type { OtlpLogRecord } from './otlp-records.js';

/** Attributes of its own with which the exporter `otlp_http` writes a record, so that a Faultline that receives it stores the same event. */
export const FAULTLINE = {
  /** How many exporters of a Faultline the record went through, this one included: what marks it as a record of a Faultline. */
  hops: 'faultline.hops',
  fingerprint: 'faultline.fingerprint',
  issueId: 'faultline.issue_id',
  /** For how many further events it stands. */
  sampled: 'faultline.sampled',
  /** What else Faultline noted of it: `extra.faultline`. */
  notes: 'faultline.notes',
  /** Fields whose values the semantic conventions have no place for, or would change. */
  fields: 'faultline.fields',
  /** Keys of tags, and where each value stands: empty for the attribute of that name, `field`, `resource`, or the name of another attribute. */
  tags: 'faultline.tags',
  /** Members of `extra`, likewise. */
  extra: 'faultline.extra',
  /** For events that came by OTLP: members of `extra.otlp` that a record has no place for. */
  otlp: 'faultline.otlp',
  /** Names of attributes that OTLP brought under other keys. */
  renamed: 'faultline.renamed',
  span: 'otlp.span',
  serverSpan: 'otlp.server_span',
} as const;

/** Fields by the attribute that holds each. */
export const FIELD_ATTRIBUTES = [
  ['error_name', 'exception.type'],
  ['stack', 'exception.stacktrace'],
  ['method', 'http.request.method'],
  ['route', 'http.route'],
  ['status_code', 'http.response.status_code'],
  ['request_id', 'request_id'],
  ['session_id', 'session.id'],
  ['user_id', 'user.id'],
] as const satisfies readonly (readonly [keyof RawPayload, string])[];

/** Attributes that are fields of an event, and nothing else in a record of a Faultline. */
export const CONVENTION_NAMES: ReadonlySet<string> = new Set([
  'log.record.uid',
  'exception.message',
  ...FIELD_ATTRIBUTES.map(([, name]) => name),
]);

/** Attributes of a resource that are fields of an event. */
export const RESOURCE_NAMES: ReadonlySet<string> = new Set([
  'service.name',
  'service.namespace',
  'deployment.environment.name',
  'service.version',
]);

/** The most exporters that a record may have gone through: more are a loop. */
export const MAX_HOPS = 5;

/** Over how many Faultlines a record came; 0 for one of any other sender. */
export function hopsIn(attributes: ReadonlyMap<string, JsonValue>): number {
  const hops = attributes.get(FAULTLINE.hops);
  return typeof hops === 'number' && Number.isInteger(hops) && hops >= 1 ? hops : 0;
}

/** An attribute that is an object; undefined where there is none. */
export function objectAt(attributes: ReadonlyMap<string, JsonValue>, name: string): JsonObject | undefined {
  const value = attributes.get(name);
  return value !== undefined && isJsonObject(value) ? value : undefined;
}

/** The attribute that a place names, among `FAULTLINE.tags` or `FAULTLINE.extra`. */
export function nameAt(place: JsonValue | undefined, key: string): string {
  return typeof place === 'string' && place !== '' ? place : key;
}

/** What of a log record its fields tell that events have as tags. */
interface RecordFields {
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  readonly eventName?: string | undefined;
  readonly scope: { readonly name?: string | undefined; readonly version?: string | undefined };
}

/** What a record says in a field of its own, by the tag that the receiver makes of it; undefined for other tags. */
export function recordField({ traceId, spanId, eventName, scope }: RecordFields, tag: string): string | undefined {
  switch (tag) {
    case 'trace_id':
      return traceId;
    case 'span_id':
      return spanId;
    case 'event.name':
      return eventName;
    case 'otel.scope.name':
      return scope.name;
    case 'otel.scope.version':
      return scope.version;
    default:
      return undefined;
  }
}

/** The message of a record that does not name another one. */
export function messageOf({ attributes, body }: Pick<OtlpLogRecord, 'attributes' | 'body'>): JsonValue {
  return attributes.get('exception.message') ?? (typeof body === 'string' ? body : '');
}
