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

/** Values of a record that are already restored. */
export interface RestoreExtraOptions {
  readonly scope: JsonObject;
  readonly acceptsSampledCounts: boolean;
  readonly message: JsonValue;
  /** Attributes that are tags. */
  readonly used: ReadonlySet<string>;
  /** Attributes of the resource that are tags. */
  readonly resourceTags: ReadonlySet<string>;
}

/** The instrumentation scope of events that another protocol received. */
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

/** Restores `extra` as the sending Faultline has it; attributes added on the way go to `extra.otlp`. */
export function restoreExtra(record: OtlpLogRecord, options: RestoreExtraOptions): JsonObject {
  const { attributes } = record;
  const extra: JsonObject = {};
  const used = new Set(options.used);
  const locations = objectAt(attributes, FAULTLINE.extra) ?? {};
  for (const key of Object.keys(locations)) {
    const name = nameAt(locations[key], key);
    used.add(name);
    const value = attributes.get(name);
    if (value !== undefined) setOwnProperty(extra, key, value);
  }
  const otlp = otlpExtra(record, used, options);
  const { otlp: sent, faultline } = extra;
  if (Object.keys(otlp).length > 0) extra['otlp'] = sent === undefined ? otlp : { ...otlp, sender: sent };
  extra['faultline'] = faultlineExtra(attributes, faultline, options.acceptsSampledCounts);
  return extra;
}

function otlpExtra(
  record: OtlpLogRecord,
  used: ReadonlySet<string>,
  { scope, message, resourceTags }: RestoreExtraOptions,
): JsonObject {
  const { attributes, body } = record;
  const kept = objectAt(attributes, FAULTLINE.otlp);
  const otlp: JsonObject = {};
  putFilled(otlp, 'resource', resourceExtra(record.resource, resourceTags));
  if (kept !== undefined || record.scope.name !== OWN_SCOPE) putFilled(otlp, 'scope', scope);
  putFilled(otlp, 'attributes', broughtAttributes(attributes, used));
  putFilled(otlp, 'dropped_attributes_count', record.droppedAttributesCount);
  if (body !== null && body !== message) otlp['body'] = body;
  putFilled(otlp, 'span', objectAt(attributes, FAULTLINE.span) ?? null);
  putFilled(otlp, 'server_span', objectAt(attributes, FAULTLINE.serverSpan) ?? null);
  if (kept !== undefined) for (const key of Object.keys(kept)) setOwnProperty(otlp, key, kept[key] ?? null);
  return otlp;
}

function resourceExtra(
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

/** Attributes that are not a field, a tag, a member of `extra` or Faultline's own. */
function broughtAttributes(attributes: OtlpAttributes, used: ReadonlySet<string>): JsonObject {
  const renamed = objectAt(attributes, FAULTLINE.renamed) ?? {};
  const rest: JsonObject = {};
  for (const [name, value] of attributes) {
    const key = Object.hasOwn(renamed, name) ? renamed[name] : undefined;
    if (typeof key === 'string') setOwnProperty(rest, key, value);
    else if (!used.has(name) && !CONVENTION_NAMES.has(name) && !isOwn(name, value)) setOwnProperty(rest, name, value);
  }
  return rest;
}

function isOwn(name: string, value: JsonValue): boolean {
  return SCALARS.has(name) || (OBJECTS.has(name) && isJsonObject(value));
}

/** A count that is not accepted goes to `sender`. */
function faultlineExtra(
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
