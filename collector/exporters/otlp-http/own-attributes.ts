import { hopsOf } from '../../../core/event/hops.js';
import type { JsonObject, JsonValue } from '../../../core/event/json.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { readTimestamp } from '../../../core/normalize/timestamp.js';
import type { FollowedEvent } from '../../../core/storage/following/record-follower.js';
import { FAULTLINE, FIELD_ATTRIBUTES, messageOf } from '../../otlp/faultline-record.js';
import { levelOf } from '../../otlp/severity.js';
import { otherParts } from './conveyed-parts.js';
import { type LogRecord, objectIn } from './log-record.js';

/** Of a normalized time, without its offset, which is 0. */
const NORMALIZED_LENGTH = 'YYYY-MM-DDTHH:MM:SS.nnnnnnnnn'.length;

/** What Faultline notes of an event, and what a record does not say otherwise: with it another Faultline makes the same event of the record. */
export function ownAttributes(
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
