import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/event/json.js';
import { setOwnProperty } from '../../../core/event/own-property.js';
import type { FollowedEvent } from '../../../core/storage/following/record-follower.js';
import { FAULTLINE, FIELD_ATTRIBUTES, recordField } from '../../otlp/faultline-record.js';
import type { OtlpAttributes } from '../../otlp/otlp-records.js';
import type { Steps } from '../../processors/steps.js';
import { membersOf } from './any-value.js';
import { isConveyed } from './conveyed-parts.js';
import { type LogRecord, objectIn } from './log-record.js';
import { ownAttributes } from './own-attributes.js';
import { PlacedAttributes } from './placed-attributes.js';

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
