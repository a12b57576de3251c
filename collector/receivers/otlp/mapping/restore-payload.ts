import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from '../../../../core/event/json.js';
import {
  CONVENTION_NAMES,
  FAULTLINE,
  hopsIn,
  nameAt,
  objectAt,
  RECORD_FIELDS,
  RESOURCE_FIELDS,
  RESOURCE_NAMES,
  recordField,
  recordMessage,
} from '../../../otlp/faultline-record.js';
import type { OtlpAttributes, OtlpLogRecord, OtlpResource } from '../../../otlp/otlp-records.js';
import { recordLevel } from '../../../otlp/severity.js';
import { putFilled, type ResourceFields } from './attribute-reader.js';

/** The instrumentation scope of events that another protocol received. */
const OWN_SCOPE = 'faultline';
const OWN_NAMES: ReadonlySet<string> = new Set(Object.values(FAULTLINE));
/** The values of the others are objects. */
const SCALARS: ReadonlySet<string> = new Set([
  FAULTLINE.hops,
  FAULTLINE.fingerprint,
  FAULTLINE.issueId,
  FAULTLINE.sampled,
]);

interface RestorePayloadOptions {
  readonly ofResource: ResourceFields;
  readonly scope: JsonObject;
  readonly timestamp: string | null;
  /** Whether the record may set the number of further events it stands for. */
  readonly acceptsSampledCounts: boolean;
}

/**
 * Restores the payload of a record of another Faultline, with its hops in `extra.faultline.hops`. The sender is not verified: the payload is
 * validated like any event.
 */
export function restorePayload(record: OtlpLogRecord, options: RestorePayloadOptions): JsonObject {
  const { attributes, resource } = record;
  const fields = objectAt(attributes, FAULTLINE.fields) ?? {};
  const sentOr = (name: string, value: JsonValue): JsonValue =>
    Object.hasOwn(fields, name) ? (fields[name] ?? null) : value;

  const { app, env, release, service } = options.ofResource;
  const ofResource: JsonObject = { app, env, release, service };

  const payload: JsonObject = {};
  for (const { name, attribute, absent } of RECORD_FIELDS) {
    payload[name] = sentOr(name, attribute === undefined ? absent : (attributes.get(attribute) ?? absent));
  }
  for (const { name, attribute } of RESOURCE_FIELDS) {
    const value = resource.attributes.get(attribute);
    payload[name] = typeof value === 'string' ? value : (ofResource[name] ?? null);
  }
  const message = sentOr('message', recordMessage(record));
  const restored = restoreTags(record);
  return {
    ...payload,
    extra: restoreExtra(record, options, message, restored),
    level: sentOr('level', recordLevel(record)),
    message,
    tags: restored.tags,
    timestamp: sentOr('timestamp', options.timestamp),
  };
}

interface RestoredTags {
  readonly tags: JsonObject;
  /** Names of attributes that became tags, and later members of `extra`. */
  readonly used: Set<string>;
  /** Names of resource attributes that became tags. */
  readonly resourceTags: Set<string>;
}

function restoreTags(record: OtlpLogRecord): RestoredTags {
  const tags: JsonObject = {};
  const used = new Set<string>();
  const resourceTags = new Set<string>();
  const locations = objectAt(record.attributes, FAULTLINE.tags) ?? {};
  for (const key of Object.keys(locations)) {
    const location = locations[key];
    let value: JsonValue | undefined;
    if (location === 'field') value = recordField(record, key);
    else if (location === 'resource') {
      resourceTags.add(key);
      value = record.resource.attributes.get(key);
    } else {
      const name = nameAt(location, key);
      used.add(name);
      value = record.attributes.get(name);
    }
    // A Collector on the way may have removed it.
    if (value !== undefined) setOwnProperty(tags, key, value);
  }
  return { tags, used, resourceTags };
}

/** Restores `extra` as the sending Faultline has it; attributes added on the way go to `extra.otlp`. */
function restoreExtra(
  record: OtlpLogRecord,
  { scope, acceptsSampledCounts }: RestorePayloadOptions,
  message: JsonValue,
  restored: RestoredTags,
): JsonObject {
  const { attributes } = record;
  const extra: JsonObject = {};
  const locations = objectAt(attributes, FAULTLINE.extra) ?? {};
  for (const key of Object.keys(locations)) {
    const name = nameAt(locations[key], key);
    restored.used.add(name);
    const value = attributes.get(name);
    if (value !== undefined) setOwnProperty(extra, key, value);
  }
  const otlp = otlpExtra(record, scope, message, restored);
  const { otlp: sent, faultline } = extra;
  if (Object.keys(otlp).length > 0) extra['otlp'] = sent === undefined ? otlp : { ...otlp, sender: sent };
  extra['faultline'] = faultlineExtra(attributes, faultline, acceptsSampledCounts);
  return extra;
}

function otlpExtra(
  record: OtlpLogRecord,
  scope: JsonObject,
  message: JsonValue,
  { used, resourceTags }: RestoredTags,
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
  return SCALARS.has(name) || (OWN_NAMES.has(name) && isJsonObject(value));
}

/** A weight that is not accepted goes to `sender`. */
function faultlineExtra(
  attributes: OtlpAttributes,
  sent: JsonValue | undefined,
  acceptsSampledCounts: boolean,
): JsonObject {
  const { hops: _hops, sampled: _sampled, repeats, ...part } = objectAt(attributes, FAULTLINE.notes) ?? {};
  const sampled = attributes.get(FAULTLINE.sampled);
  const weight = { ...(repeats !== undefined && { repeats }), ...(sampled !== undefined && { sampled }) };
  if (sent !== undefined) part['sender'] = sent;
  if (acceptsSampledCounts) Object.assign(part, weight);
  else if (Object.keys(weight).length > 0) {
    const { sender } = part;
    part['sender'] = { ...(sender !== undefined && isJsonObject(sender) ? sender : {}), ...weight };
  }
  return { ...part, hops: hopsIn(attributes) };
}
