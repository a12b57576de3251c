import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from '../../../../core/event/json.js';
import {
  CONVENTION_NAMES,
  FAULTLINE,
  hopsIn,
  nameAt,
  objectAt,
  RESOURCE_NAMES,
} from '../../../otlp/faultline-record.js';
import type { OtlpAttributes, OtlpLogRecord, OtlpResource } from '../../../otlp/otlp-records.js';
import { putFilled } from './attribute-reader.js';

/** What is known of a record by then. */
export interface RestoreExtraOptions {
  readonly scope: JsonObject;
  readonly acceptsSampledCounts: boolean;
  readonly message: JsonValue;
  /** Attributes that are tags. */
  readonly taken: ReadonlySet<string>;
  /** Attributes of the resource that are tags. */
  readonly resourceTags: ReadonlySet<string>;
}

/** How a Faultline names the instrumentation scope of events that did not come by OTLP. */
const OWN_SCOPE = 'faultline';
const OBJECTS: ReadonlySet<string> = new Set([
  FAULTLINE.notes,
  FAULTLINE.fields,
  FAULTLINE.tags,
  FAULTLINE.extra,
  FAULTLINE.otlp,
  FAULTLINE.renamed,
  FAULTLINE.span,
  FAULTLINE.serverSpan,
]);
const SCALARS: ReadonlySet<string> = new Set([
  FAULTLINE.hops,
  FAULTLINE.fingerprint,
  FAULTLINE.issueId,
  FAULTLINE.sampled,
]);

/** `extra` as the Faultline that wrote the record has it; what others added to the record on its way stands in `extra.otlp`. */
export function restoreExtra(record: OtlpLogRecord, options: RestoreExtraOptions): JsonObject {
  const { attributes } = record;
  const extra: JsonObject = {};
  const taken = new Set(options.taken);
  const places = objectAt(attributes, FAULTLINE.extra) ?? {};
  for (const key of Object.keys(places)) {
    const name = nameAt(places[key], key);
    taken.add(name);
    const value = attributes.get(name);
    if (value !== undefined) setOwnProperty(extra, key, value);
  }
  const otlp = otlpPart(record, taken, options);
  const { otlp: sent, faultline } = extra;
  if (Object.keys(otlp).length > 0) extra['otlp'] = sent === undefined ? otlp : { ...otlp, sender: sent };
  extra['faultline'] = faultlinePart(attributes, faultline, options.acceptsSampledCounts);
  return extra;
}

function otlpPart(
  record: OtlpLogRecord,
  taken: ReadonlySet<string>,
  { scope, message, resourceTags }: RestoreExtraOptions,
): JsonObject {
  const { attributes, body } = record;
  const kept = objectAt(attributes, FAULTLINE.otlp);
  const otlp: JsonObject = {};
  putFilled(otlp, 'resource', resourcePart(record.resource, resourceTags));
  if (kept !== undefined || record.scope.name !== OWN_SCOPE) putFilled(otlp, 'scope', scope);
  putFilled(otlp, 'attributes', broughtAttributes(attributes, taken));
  putFilled(otlp, 'dropped_attributes_count', record.droppedAttributesCount);
  if (body !== null && body !== message) otlp['body'] = body;
  putFilled(otlp, 'span', objectAt(attributes, FAULTLINE.span) ?? null);
  putFilled(otlp, 'server_span', objectAt(attributes, FAULTLINE.serverSpan) ?? null);
  if (kept !== undefined) for (const key of Object.keys(kept)) setOwnProperty(otlp, key, kept[key] ?? null);
  return otlp;
}

function resourcePart(
  { attributes, droppedAttributesCount, schemaUrl }: OtlpResource,
  tags: ReadonlySet<string>,
): JsonObject {
  const rest: JsonObject = {};
  for (const [key, value] of attributes) {
    const isField = RESOURCE_NAMES.has(key) && typeof value === 'string';
    if (!isField && !tags.has(key)) setOwnProperty(rest, key, value);
  }
  const part: JsonObject = {};
  putFilled(part, 'attributes', rest);
  putFilled(part, 'dropped_attributes_count', droppedAttributesCount);
  putFilled(part, 'schema_url', schemaUrl);
  return part;
}

/** What is no field, tag or member of `extra`, nor Faultline's own. */
function broughtAttributes(attributes: OtlpAttributes, taken: ReadonlySet<string>): JsonObject {
  const renamed = objectAt(attributes, FAULTLINE.renamed) ?? {};
  const rest: JsonObject = {};
  for (const [name, value] of attributes) {
    const key = Object.hasOwn(renamed, name) ? renamed[name] : undefined;
    if (typeof key === 'string') setOwnProperty(rest, key, value);
    else if (!taken.has(name) && !CONVENTION_NAMES.has(name) && !isOwn(name, value)) setOwnProperty(rest, name, value);
  }
  return rest;
}

function isOwn(name: string, value: JsonValue): boolean {
  return SCALARS.has(name) || (OBJECTS.has(name) && isJsonObject(value));
}

/** Where the count is not accepted it is told as what the sender said, as of any event. */
function faultlinePart(
  attributes: OtlpAttributes,
  sent: JsonValue | undefined,
  acceptsSampledCounts: boolean,
): JsonObject {
  const { hops: _hops, sampled: _sampled, ...part } = objectAt(attributes, FAULTLINE.notes) ?? {};
  const sampled = attributes.get(FAULTLINE.sampled);
  if (sent !== undefined) part['sender'] = sent;
  if (sampled !== undefined && acceptsSampledCounts) part['sampled'] = sampled;
  else if (sampled !== undefined) {
    const { sender } = part;
    part['sender'] = { ...(sender !== undefined && isJsonObject(sender) ? sender : {}), sampled };
  }
  return { ...part, hops: hopsIn(attributes) };
}
