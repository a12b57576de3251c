import { isJsonObject, type JsonObject, type JsonValue } from '../../core/event/json.js';
import type { PayloadField } from '../../core/event/payload-field.js';
import type { RawPayload } from '../../core/event/raw-payload.js';
import { PAYLOAD_FIELDS } from '../../generated/event-fields.js';
import type { OtlpLogRecord } from './otlp-records.js';

/** Attributes that the exporter `otlp_http` adds to a record, so that the receiving Faultline stores the same event. */
export const FAULTLINE = {
  /** Number of Faultline exporters that the record passed, including this one; at least 1 in a record of a Faultline. */
  hops: 'faultline.hops',
  fingerprint: 'faultline.fingerprint',
  issueId: 'faultline.issue_id',
  /** Number of further events that the record stands for. */
  sampled: 'faultline.sampled',
  /** `extra.faultline`. */
  notes: 'faultline.notes',
  /** Fields whose values the semantic conventions do not cover, or would change. */
  fields: 'faultline.fields',
  /** Location of each tag's value: empty for the attribute of that name, `field`, `resource`, or the name of another attribute. */
  tags: 'faultline.tags',
  /** Location of each member of `extra`, likewise. */
  extra: 'faultline.extra',
  /** Members of `extra.otlp` that a record cannot hold. */
  otlp: 'faultline.otlp',
  /** Original keys of renamed OTLP attributes. */
  renamed: 'faultline.renamed',
  span: 'otlp.span',
  serverSpan: 'otlp.server_span',
} as const;

/** A payload field that one attribute of a record holds. */
interface RecordField {
  readonly name: keyof RawPayload;
  /** By OpenTelemetry's semantic conventions; undefined if they have none: then `FAULTLINE.fields` holds the value. */
  readonly attribute: string | undefined;
  /** The value of the field in a record without the attribute. */
  readonly absent: '' | null;
}

/** Fields that no single attribute holds: the mapping of each is code of its own. */
const MAPPED_FIELDS: readonly (keyof RawPayload)[] = ['extra', 'level', 'message', 'tags', 'timestamp'];

const FIELDS: readonly PayloadField[] = PAYLOAD_FIELDS;

/** The payload fields that one attribute of a record holds. */
export const RECORD_FIELDS: readonly RecordField[] = FIELDS.filter(
  ({ name, otlpResource }) => otlpResource === undefined && !MAPPED_FIELDS.includes(name),
).map(({ name, kind, otlpAttribute }) => ({ name, attribute: otlpAttribute, absent: kind === 'text' ? '' : null }));

/** The payload fields that an attribute of the resource holds, with its name. */
export const RESOURCE_FIELDS: readonly { readonly name: keyof RawPayload; readonly attribute: string }[] =
  FIELDS.flatMap(({ name, otlpResource }) => (otlpResource === undefined ? [] : [{ name, attribute: otlpResource }]));

/** Attributes that hold only event fields in a record of a Faultline. */
export const CONVENTION_NAMES: ReadonlySet<string> = new Set([
  'log.record.uid',
  'exception.message',
  ...RECORD_FIELDS.flatMap(({ attribute }) => attribute ?? []),
]);

/** Resource attributes that are event fields. */
export const RESOURCE_NAMES: ReadonlySet<string> = new Set(RESOURCE_FIELDS.map(({ attribute }) => attribute));

/** More hops mean that exporters form a loop. */
export const MAX_HOPS = 5;

/** Returns the number of Faultlines that a record passed; 0 for a record of another sender. */
export function hopsIn(attributes: ReadonlyMap<string, JsonValue>): number {
  const hops = attributes.get(FAULTLINE.hops);
  return typeof hops === 'number' && Number.isInteger(hops) && hops >= 1 ? hops : 0;
}

/** Returns an attribute if it is an object. */
export function objectAt(attributes: ReadonlyMap<string, JsonValue>, name: string): JsonObject | undefined {
  const value = attributes.get(name);
  return value !== undefined && isJsonObject(value) ? value : undefined;
}

/** Returns the attribute name for a location in `FAULTLINE.tags` or `FAULTLINE.extra`. */
export function nameAt(location: JsonValue | undefined, key: string): string {
  return typeof location === 'string' && location !== '' ? location : key;
}

/** Fields of a log record that are tags in an event. */
interface RecordFields {
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  readonly eventName?: string | undefined;
  readonly scope: { readonly name?: string | undefined; readonly version?: string | undefined };
}

const TAG_FIELDS: ReadonlyMap<string, (record: RecordFields) => string | undefined> = new Map([
  ['trace_id', ({ traceId }: RecordFields) => traceId],
  ['span_id', ({ spanId }) => spanId],
  ['event.name', ({ eventName }) => eventName],
  ['otel.scope.name', ({ scope }) => scope.name],
  ['otel.scope.version', ({ scope }) => scope.version],
]);

/** Returns the record field that becomes a tag; undefined for other tags. */
export function recordField(record: RecordFields, tag: string): string | undefined {
  return TAG_FIELDS.get(tag)?.(record);
}

/** Returns the default message of a record. */
export function recordMessage({ attributes, body }: Pick<OtlpLogRecord, 'attributes' | 'body'>): JsonValue {
  return attributes.get('exception.message') ?? (typeof body === 'string' ? body : '');
}
