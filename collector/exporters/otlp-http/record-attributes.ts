import { hasMembers, isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from '../../../core/event/json.js';
import { hopsOf, type RawPayload } from '../../../core/event/raw-payload.js';
import { parseTimestamp } from '../../../core/normalize/timestamp.js';
import type { FollowedEvent } from '../../../core/storage/following/record-follower.js';
import {
  CONVENTION_NAMES,
  FAULTLINE,
  RECORD_FIELDS,
  RESOURCE_NAMES,
  recordField,
  recordMessage,
} from '../../otlp/faultline-record.js';
import type { OtlpAttributes } from '../../otlp/otlp-records.js';
import { recordLevel } from '../../otlp/severity.js';
import type { Steps } from '../../processors/event-processor/steps.js';
import { membersOf } from './any-value.js';
import { type LogRecord, objectIn } from './log-record.js';

/** Members of `extra.otlp` that a record has a field for, with whether the field restores the value. */
const RESTORED_MEMBERS: ReadonlyMap<string, (value: JsonValue, message: string) => boolean> = new Map([
  ['attributes', isFilledObject],
  ['body', (value: JsonValue, message: string) => value !== null && value !== message],
  ['span', isFilledObject],
  ['server_span', isFilledObject],
  ['resource', (value: JsonValue) => isOwner(value, []) && !namesFields(value)],
  ['scope', (value: JsonValue) => isOwner(value, ['name', 'version'])],
]);

function isRestored(member: string, otlp: JsonObject, message: string): boolean {
  const value = Object.hasOwn(otlp, member) ? otlp[member] : undefined;
  return value !== undefined && RESTORED_MEMBERS.get(member)?.(value, message) === true;
}

function isFilledObject(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).length > 0;
}

/** Whether a value is a resource or scope with only attributes, a schema URL and the members `texts`. */
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

/** Members processed without a pause. */
export const MEMBERS_AT_ONCE = 1_000;

/** Tags that the OTLP receiver copies from a resource. */
const RESOURCE_TAGS: ReadonlySet<string> = new Set(['service.instance.id', 'host.name', 'telemetry.sdk.language']);

interface EventAttributes {
  readonly attributes: OtlpAttributes;
  /** Tags that belong to the resource. */
  readonly ofResource: OtlpAttributes;
}

/** Maps an event to attributes; one whose name is in use or reserved gets a prefix, and the last ones let another Faultline restore the event. */
export function* recordAttributes(event: FollowedEvent, record: Omit<LogRecord, 'attributes'>): Steps<EventAttributes> {
  const { normalized, payload } = event;
  const { extra } = payload;
  const builder = new AttributeBuilder();
  builder.set('log.record.uid', normalized.event_id);
  if (isException(normalized)) builder.set('exception.message', normalized.message);
  for (const { name, attribute } of RECORD_FIELDS) {
    if (attribute !== undefined) builder.set(attribute, normalized[name]);
  }
  builder.set(FAULTLINE.fingerprint, event.fingerprint);
  builder.set(FAULTLINE.issueId, event.issueId);

  const otlp = objectIn(extra, 'otlp');
  const isFromOtlp = Object.keys(otlp).length > 0;
  yield* each(objectIn(otlp, 'attributes'), (key, value) => builder.addReceived(key, value));
  for (const member of ['span', 'server_span'] as const) {
    if (isRestored(member, otlp, normalized.message)) builder.set(`otlp.${member}`, otlp[member] ?? null);
  }

  const tags: JsonObject = {};
  const ofResource = new Map<string, JsonValue>();
  yield* each(payload.tags, (key, value) => {
    if (isFromOtlp && value !== '' && recordField(record, key) === value) setOwnProperty(tags, key, 'field');
    else if (isFromOtlp && RESOURCE_TAGS.has(key) && !record.resource.attributes.has(key)) {
      setOwnProperty(tags, key, 'resource');
      ofResource.set(key, value);
    } else builder.add(tags, 'tag.', key, value);
  });

  const members: JsonObject = {};
  yield* each(extra ?? {}, (key, value) => {
    const isMapped = (key === 'otlp' && isFromOtlp) || (key === 'faultline' && isJsonObject(value));
    if (!isMapped) builder.add(members, 'extra.', key, value);
  });

  const lists = { [FAULTLINE.tags]: tags, [FAULTLINE.extra]: members, [FAULTLINE.renamed]: builder.renamed };
  for (const [name, list] of Object.entries(lists)) if (hasMembers(list)) builder.set(name, list);
  const attributes = builder.all;
  for (const [name, value] of faultlineAttributes(event, { ...record, attributes })) builder.set(name, value);
  return { attributes, ofResource };
}

/** Whether an event is an exception: it has a name or a stack. */
export function isException({ error_name, stack }: { error_name: string; stack: string | null }): boolean {
  return error_name !== '' || (stack !== null && stack !== '');
}

function* each(values: JsonObject, visit: (key: string, value: JsonValue) => void): Steps<void> {
  let seen = 0;
  for (const [key, value] of membersOf(values)) {
    seen += 1;
    if (seen % MEMBERS_AT_ONCE === 0) yield;
    visit(key, value);
  }
}

/** Length of a normalized time without its offset, which is always 0. */
const NORMALIZED_LENGTH = 'YYYY-MM-DDTHH:MM:SS.nnnnnnnnn'.length;

function faultlineAttributes(
  { payload, normalized }: FollowedEvent,
  record: LogRecord,
): (readonly [name: string, value: JsonValue])[] {
  const { sampled, hops: _hops, ...notes } = objectIn(payload.extra, 'faultline');
  const otlp = objectIn(payload.extra, 'otlp');
  const fields = unrestoredFields(payload, record, normalized.timestamp);
  const own: [string, JsonValue][] = [[FAULTLINE.hops, hopsOf(payload.extra) + 1]];
  if (sampled !== undefined) own.push([FAULTLINE.sampled, sampled]);
  if (Object.keys(notes).length > 0) own.push([FAULTLINE.notes, notes]);
  const unrestored = Object.entries(otlp).filter(([member]) => !isRestored(member, otlp, normalized.message));
  if (Object.keys(otlp).length > 0) own.push([FAULTLINE.otlp, Object.fromEntries(unrestored)]);
  if (Object.keys(fields).length > 0) own.push([FAULTLINE.fields, fields]);
  return own;
}

function unrestoredFields(payload: RawPayload, record: LogRecord, normalized: string): JsonObject {
  const fields: JsonObject = {};
  for (const { name, attribute, absent } of RECORD_FIELDS) {
    const written = attribute === undefined ? absent : (record.attributes.get(attribute) ?? absent);
    if (written !== payload[name]) fields[name] = payload[name];
  }
  if (recordMessage(record) !== payload.message) fields['message'] = payload.message;
  if (recordLevel(record) !== payload.level) fields['level'] = payload.level;
  const { timestamp } = payload;
  const written = record.timeUnixNano === 0n ? null : `${normalized.slice(0, NORMALIZED_LENGTH)}Z`;
  // An invalid time is not exported: the next receiver would use its own receipt time, and this one is closer.
  if (timestamp !== null && timestamp !== written && parseTimestamp(timestamp) !== undefined) {
    fields['timestamp'] = timestamp;
  }
  return fields;
}

/** Builds the attributes of a record, each with a unique name. */
class AttributeBuilder {
  readonly all = new Map<string, JsonValue>();
  /** Original keys of received attributes that were renamed or are shared with a tag or member, by attribute name. */
  readonly renamed: JsonObject = {};
  readonly #received = new Set<string>();

  /** Sets an attribute with a fixed name; skips null and empty values. */
  set(name: string, value: JsonValue): void {
    if (value !== null && value !== '') this.all.set(name, value);
  }

  addReceived(key: string, value: JsonValue): void {
    const name = this.#freeName('otlp.', key);
    if (name === key) this.#received.add(key);
    else setOwnProperty(this.renamed, name, key);
    this.all.set(name, value);
  }

  /** Adds a tag or a member of `extra` and records its name in `names`; shares an attribute with the same name and value. */
  add(names: JsonObject, prefix: 'tag.' | 'extra.', key: string, value: JsonValue): void {
    const isShared = key !== '' && !isReserved(key) && this.all.has(key) && this.all.get(key) === value;
    const name = isShared ? key : this.#freeName(prefix, key);
    // Otherwise it would be restored as the tag only.
    if (isShared && this.#received.has(key)) setOwnProperty(this.renamed, key, key);
    setOwnProperty(names, key, name === key ? '' : name);
    this.all.set(name, value);
  }

  /** Returns `key`, prefixed if it is empty, in use, or reserved by the conventions or by Faultline. */
  #freeName(prefix: string, key: string): string {
    const isFree = key !== '' && !CONVENTION_NAMES.has(key) && !isReserved(key) && !this.all.has(key);
    if (isFree) return key;
    let name = `${prefix}${key}`;
    while (this.all.has(name)) name = `${prefix}${name}`;
    return name;
  }
}

function isReserved(name: string): boolean {
  return name.startsWith('faultline.') || name === FAULTLINE.span || name === FAULTLINE.serverSpan;
}
