import { type JsonValue, ownValue } from '../../event/json.js';
import { levelOf } from '../../event/level.js';
import type { RawPayload } from '../../event/raw-payload.js';
import { cutText, plainText } from '../../event/text.js';

/** UTF-16 units; longer values are cut. */
const MAX_VALUE = 1_024;

/** Returns a value of a payload as plain text; empty if it is missing. */
export type ReadValue = (payload: RawPayload) => string;

type Field = readonly [string, (payload: RawPayload) => string | number | null];

const FIELD_ROWS: readonly Field[] = [
  ['app', (payload) => payload.app],
  ['service', (payload) => payload.service],
  ['environment', (payload) => payload.env],
  ['env', (payload) => payload.env],
  ['release', (payload) => payload.release],
  ['level', levelOf],
  ['route', (payload) => payload.route],
  ['method', (payload) => payload.method],
  ['status_code', (payload) => payload.status_code],
  ['user_id', (payload) => payload.user_id],
  ['request_id', (payload) => payload.request_id],
  ['session_id', (payload) => payload.session_id],
];
const FIELDS: ReadonlyMap<string, Field[1]> = new Map(FIELD_ROWS);

/** Names that `valueReader` accepts, for messages. */
export const PAYLOAD_VALUES: readonly string[] = [...FIELDS.keys(), 'tags.<key>', 'extra.<key>'];

/** Returns a reader of a field, `tags.<key>` or `extra.<key>`; undefined for other names. */
export function valueReader(name: string): ReadValue | undefined {
  const field = FIELDS.get(name);
  if (field !== undefined) return (payload) => textOf(field(payload));
  const [, holder, key] = /^(tags|extra)\.(.{1,200})$/s.exec(name) ?? [];
  if (key === undefined) return undefined;
  return holder === 'tags'
    ? ({ tags }) => textOf(ownValue(tags, key))
    : ({ extra }) => textOf(ownValue(extra ?? undefined, key));
}

function textOf(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '';
  return plainText(cutText(typeof value === 'string' ? value : JSON.stringify(value), MAX_VALUE));
}
