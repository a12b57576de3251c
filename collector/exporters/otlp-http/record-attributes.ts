import { hopsOf } from '../../../core/event/hops.js';
import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from '../../../core/event/json.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { readTimestamp } from '../../../core/normalize/timestamp.js';
import type { FollowedEvent } from '../../../core/storage/following/record-follower.js';
import { FAULTLINE, FIELD_ATTRIBUTES, messageOf, RESOURCE_NAMES, recordField } from '../../otlp/faultline-record.js';
import type { OtlpAttributes } from '../../otlp/otlp-records.js';
import { levelOf } from '../../otlp/severity.js';
import type { Steps } from '../../processors/event-processor/steps.js';
import { membersOf } from './any-value.js';
import { type LogRecord, objectIn } from './log-record.js';
import { PlacedAttributes } from './placed-attributes.js';

/** By part of `extra.otlp` for which a record has places, whether its value comes back from there. */
const HOLDS: ReadonlyMap<string, (value: JsonValue, message: string) => boolean> = new Map([
  ['attributes', isFilledObject],
  ['body', (value: JsonValue, message: string) => value !== null && value !== message],
  ['span', isFilledObject],
  ['server_span', isFilledObject],
  ['resource', (value: JsonValue) => isOwner(value, []) && !namesFields(value)],
  ['scope', (value: JsonValue) => isOwner(value, ['name', 'version'])],
]);

/** Whether a record says a part in a place of its own, of an event with that message. */
function isConveyed(part: string, otlp: JsonObject, message: string): boolean {
  const value = Object.hasOwn(otlp, part) ? otlp[part] : undefined;
  return value !== undefined && HOLDS.get(part)?.(value, message) === true;
}

/** Members of `extra.otlp` that a record has no place for. */
function otherParts(otlp: JsonObject, message: string): JsonObject {
  return Object.fromEntries(Object.entries(otlp).filter(([part]) => !isConveyed(part, otlp, message)));
}

function isFilledObject(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).length > 0;
}

/** Resources and scopes: attributes, an address of a schema, and further texts. */
function isOwner(value: JsonValue, texts: readonly string[]): value is JsonObject {
  if (!isFilledObject(value)) return false;
  return Object.entries(value).every(([key, member]) => {
    if (key === 'attributes') return isFilledObject(member);
    return (key === 'schema_url' || texts.includes(key)) && typeof member === 'string' && member !== '';
  });
}

function namesFields({ attributes }: JsonObject): boolean {
  return isJsonObject(attributes) && Object.keys(attributes).some((key) => RESOURCE_NAMES.has(key));
}

/** Members that are put without a pause: 1,000 take half a millisecond. */
export const MEMBERS_AT_ONCE = 1_000;

/** Tags that the OTLP receiver made of a resource. */
const RESOURCE_TAGS: ReadonlySet<string> = new Set(['service.instance.id', 'host.name', 'telemetry.sdk.language']);

/** A record without its attributes. */
export type BareRecord = Omit<LogRecord, 'attributes'>;

/** What an event gives beside the fields of a record. */
export interface EventAttributes {
  readonly attributes: OtlpAttributes;
  /** Tags that belong to the resource. */
  readonly ofResource: OtlpAttributes;
}

/**
 * What an event says by the names of the semantic conventions, then what OTLP brought, then tags and the rest of `extra` under their own names; where a name is
 * taken already by another value, or means something else, behind `otlp.`, `tag.` or `extra.`. At the end stands what another Faultline needs to make the
 * same event of it.
 */
export function* recordAttributes(event: FollowedEvent, record: BareRecord): Steps<EventAttributes> {
  const { normalized, payload } = event;
  const { extra } = payload;
  const placed = new PlacedAttributes();
  placed.put('log.record.uid', normalized.event_id);
  if (isException(normalized)) placed.put('exception.message', normalized.message);
  for (const [field, name] of FIELD_ATTRIBUTES) placed.put(name, normalized[field]);
  placed.put(FAULTLINE.fingerprint, event.fingerprint);
  placed.put(FAULTLINE.issueId, event.issueId);

  const otlp = objectIn(extra, 'otlp');
  const isFromOtlp = Object.keys(otlp).length > 0;
  yield* each(objectIn(otlp, 'attributes'), (key, value) => placed.bring(key, value));
  for (const part of ['span', 'server_span'] as const) {
    if (isConveyed(part, otlp, normalized.message)) placed.put(`otlp.${part}`, otlp[part] ?? null);
  }

  const tags: JsonObject = {};
  const ofResource = new Map<string, JsonValue>();
  yield* each(payload.tags, (key, value) => {
    if (isFromOtlp && value !== '' && recordField(record, key) === value) setOwnProperty(tags, key, 'field');
    else if (isFromOtlp && RESOURCE_TAGS.has(key) && !record.resource.attributes.has(key)) {
      setOwnProperty(tags, key, 'resource');
      ofResource.set(key, value);
    } else placed.place(tags, 'tag.', key, value);
  });

  const members: JsonObject = {};
  yield* each(extra ?? {}, (key, value) => {
    const hasPlaces = (key === 'otlp' && isFromOtlp) || (key === 'faultline' && isJsonObject(value));
    if (!hasPlaces) placed.place(members, 'extra.', key, value);
  });

  const lists = { [FAULTLINE.tags]: tags, [FAULTLINE.extra]: members, [FAULTLINE.renamed]: placed.renamed };
  for (const [name, list] of Object.entries(lists)) if (hasMembers(list)) placed.put(name, list);
  const attributes = placed.all;
  for (const [name, value] of ownAttributes(event, { ...record, attributes })) placed.put(name, value);
  return { attributes, ofResource };
}

/** Whether an event tells of an exception: it has a name or a stack. */
export function isException({ error_name, stack }: { error_name: string; stack: string | null }): boolean {
  return error_name !== '' || (stack !== null && stack !== '');
}

function* each(values: JsonObject, take: (key: string, value: JsonValue) => void): Steps<void> {
  let seen = 0;
  for (const [key, value] of membersOf(values)) {
    seen += 1;
    if (seen % MEMBERS_AT_ONCE === 0) yield;
    take(key, value);
  }
}

function hasMembers(value: JsonObject): boolean {
  for (const _ in value) return true;
  return false;
}

/** Of a normalized time, without its offset, which is 0. */
const NORMALIZED_LENGTH = 'YYYY-MM-DDTHH:MM:SS.nnnnnnnnn'.length;

/** What Faultline notes of an event, and what a record does not say otherwise: with it another Faultline makes the same event of the record. */
function ownAttributes(
  { payload, normalized }: FollowedEvent,
  record: LogRecord,
): (readonly [name: string, value: JsonValue])[] {
  const { sampled, hops: _hops, ...notes } = objectIn(payload.extra, 'faultline');
  const otlp = objectIn(payload.extra, 'otlp');
  const fields = otherFields(payload, record, normalized.timestamp);
  const own: [string, JsonValue][] = [[FAULTLINE.hops, hopsOf(payload.extra) + 1]];
  if (sampled !== undefined) own.push([FAULTLINE.sampled, sampled]);
  if (Object.keys(notes).length > 0) own.push([FAULTLINE.notes, notes]);
  if (Object.keys(otlp).length > 0) own.push([FAULTLINE.otlp, otherParts(otlp, normalized.message)]);
  if (Object.keys(fields).length > 0) own.push([FAULTLINE.fields, fields]);
  return own;
}

/** Fields that would come back with other values. */
function otherFields(payload: RawPayload, record: LogRecord, normalized: string): JsonObject {
  const fields: JsonObject = {};
  for (const [field, name] of FIELD_ATTRIBUTES) {
    const value = payload[field];
    const absent = field === 'error_name' || field === 'route' ? '' : null;
    if ((record.attributes.get(name) ?? absent) !== value) fields[field] = value;
  }
  if (messageOf(record) !== payload.message) fields['message'] = payload.message;
  if (levelOf(record) !== payload.level) fields['level'] = payload.level;
  const { timestamp } = payload;
  const written = record.timeUnixNano === 0n ? null : `${normalized.slice(0, NORMALIZED_LENGTH)}Z`;
  // What says no time would be dated by the receipt there: the receipt here is nearer.
  if (timestamp !== null && timestamp !== written && readTimestamp(timestamp) !== undefined) {
    fields['timestamp'] = timestamp;
  }
  return fields;
}
