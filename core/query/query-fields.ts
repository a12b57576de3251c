import { DISPLAYED_FIELDS, PAYLOAD_FIELDS } from '../../generated/event-fields.js';
import { type JsonObject, type JsonValue, ownValue } from '../event/json.js';
import { levelOf } from '../event/level.js';
import type { RawPayload } from '../event/raw-payload.js';
import type { SearchableEvent, SearchableIssue } from './searchable.js';

export type QuerySubject = 'issues' | 'events' | 'payloads';

/** How values are written and compared: `mixed` is text that may be a number, `choice` one of `values`, `flag` a condition (`is:`), a `level` a severity. */
export type FieldKind = 'text' | 'mixed' | 'number' | 'time' | 'version' | 'level' | 'choice' | 'flag';

/** Times are milliseconds since the epoch. A list matches if one member does; null matches nothing. */
export type FieldValue = string | number | readonly (string | number)[] | null;

/** The fields that a payload and its normalized event share. */
export type PayloadFields = Omit<RawPayload, 'timestamp'>;

/** A field that queries can name. For an event, `ofEvent` precedes `ofPayload`, which precedes `ofIssue`. */
export interface QueryField {
  readonly name: string;
  readonly kind: FieldKind;
  /** All values of a `choice` or a `flag`. */
  readonly values?: readonly string[];
  /** Whether many subjects share few values, so that results are cached by value. */
  readonly isRepeated?: boolean;
  /** Whether the search text of an issue includes the field. */
  readonly isSearchText?: boolean;
  readonly ofIssue?: (issue: SearchableIssue) => FieldValue;
  readonly ofEvent?: (event: SearchableEvent) => FieldValue;
  readonly ofPayload?: (payload: PayloadFields) => FieldValue;
}

/** `tags.<key>` or `tags."any key"`. */
export const TAG_PREFIX = 'tags.';
/** `extra.<key>`; dots lead into objects, for example `extra.request.host`. */
export const EXTRA_PREFIX = 'extra.';
export const KEY_PREFIXES: readonly string[] = [TAG_PREFIX, EXTRA_PREFIX];

/** The values of `is:`. */
export const ISSUE_FLAGS: Readonly<Record<string, (issue: SearchableIssue) => boolean>> = {
  open: (issue) => issue.status === 'open',
  resolved: (issue) => issue.status === 'resolved',
  ignored: (issue) => issue.status === 'ignored',
  regressed: (issue) => issue.isRegressed,
  new: (issue) => issue.isNew,
  spiking: (issue) => issue.isSpiking,
  assigned: (issue) => issue.assignee !== null,
  unassigned: (issue) => issue.assignee === null,
  merged: (issue) => issue.isMerged,
};

type PayloadQueryField = Extract<(typeof PAYLOAD_FIELDS)[number], { readonly query: object }>;

/** By name, as `core/event/payload-schema.json` describes them. */
const payloadFields: ReadonlyMap<string, QueryField> = new Map(
  PAYLOAD_FIELDS.filter((field) => 'query' in field).map(({ name, query }) => [
    name,
    { ...query, name, ofPayload: (payload: PayloadFields) => payload[name] },
  ]),
);

function payloadField(name: PayloadQueryField['name']): QueryField {
  const field = payloadFields.get(name);
  if (field === undefined) throw new Error(`payload-schema.json: queries cannot name ${name}`);
  return field;
}

const environments = { ...payloadField('env'), ofIssue: (issue: SearchableIssue) => issue.environments };
const releases = { ...payloadField('release'), ofIssue: (issue: SearchableIssue) => issue.releases };

const issueAndEventFields: readonly QueryField[] = [
  { ...payloadField('level'), ofIssue: ({ level }) => level, ofPayload: levelOf },
  environments,
  { ...environments, name: 'environment' },
  { ...payloadField('service'), ofIssue: ({ service }) => service },
  { ...payloadField('app'), ofIssue: ({ app }) => app },
  releases,
  { name: 'new_in', kind: 'version', isRepeated: true, ofIssue: (issue) => issue.firstRelease || null },
  { name: 'regressed_in', kind: 'version', isRepeated: true, ofIssue: (issue) => issue.regressedIn },
  {
    name: 'type',
    kind: 'choice',
    values: ['log', 'exception'],
    isRepeated: true,
    ofIssue: (issue) => issue.type,
    ofEvent: (event) => event.normalized.type,
  },
  { ...payloadField('error_name'), ofIssue: (issue) => issue.errorName },
  { name: 'title', kind: 'text', isSearchText: true, ofIssue: (issue) => issue.title },
  { ...payloadField('message'), ofIssue: ({ message }) => message },
  { name: 'culprit', kind: 'text', ofIssue: (issue) => issue.culprit },
  {
    name: 'status',
    kind: 'choice',
    values: ['open', 'resolved', 'ignored'],
    isRepeated: true,
    ofIssue: ({ status }) => status,
  },
  { name: 'is', kind: 'flag', values: Object.keys(ISSUE_FLAGS), ofIssue: () => null },
  { name: 'assignee', kind: 'text', isRepeated: true, ofIssue: (issue) => issue.assignee },
  { name: 'count', kind: 'number', ofIssue: (issue) => issue.count },
  { name: 'first_seen', kind: 'time', ofIssue: (issue) => issue.firstSeenMs },
  { name: 'last_seen', kind: 'time', ofIssue: (issue) => issue.lastSeenMs },
  { ...environments, name: 'environments' },
  { ...releases, name: 'releases' },
  {
    name: 'fingerprint',
    kind: 'text',
    ofIssue: (issue) => issue.fingerprint,
    ofEvent: (event) => event.normalized.fingerprint,
  },
  { name: 'issue_id', kind: 'text', ofIssue: (issue) => issue.issueId },
  { name: 'event_id', kind: 'text', ofEvent: (event) => event.normalized.event_id },
  { name: 'timestamp', kind: 'time', ofEvent: (event) => Date.parse(`${event.normalized.timestamp.slice(0, 23)}Z`) },
  { name: 'received_at', kind: 'time', ofEvent: (event) => Math.floor(event.receivedAtMicros / 1000) },
];

const payloadOnlyFields = DISPLAYED_FIELDS.flatMap((name) => {
  const isShared = issueAndEventFields.some((field) => field.name === name);
  return isShared ? [] : (payloadFields.get(name) ?? []);
});

const fields: readonly QueryField[] = [...issueAndEventFields, ...payloadOnlyFields];

const fieldsByName: ReadonlyMap<string, QueryField> = new Map(fields.map((field) => [field.name, field]));

/** Finds a field of any subject by name, including `tags.<key>` and `extra.<key>`. */
export function findQueryField(name: string): QueryField | undefined {
  const prefix = KEY_PREFIXES.find((begin) => name.startsWith(begin));
  if (prefix === undefined) return fieldsByName.get(name);
  const key = name.slice(prefix.length);
  if (key === '') return undefined;
  if (prefix === TAG_PREFIX) return { name, kind: 'mixed', ofPayload: ({ tags }) => textsOf(ownValue(tags, key)) };
  return { name, kind: 'mixed', ofPayload: ({ extra }) => (extra === null ? null : extraValue(extra, key)) };
}

/** Whether a subject has the field. */
export function isFieldOf(field: QueryField, subject: QuerySubject): boolean {
  if (subject === 'issues') return field.ofIssue !== undefined;
  return subject === 'events' || field.ofPayload !== undefined;
}

/** Whether issues have the field with values that are text and can be listed. */
export function isListed({ kind, ofIssue }: QueryField): boolean {
  return ofIssue !== undefined && ['text', 'version', 'level', 'choice'].includes(kind);
}

/** The field names of a subject, in the order of messages and completion. */
export function queryFieldNames(subject: QuerySubject): string[] {
  const names = fields.filter((field) => isFieldOf(field, subject)).map((field) => field.name);
  return subject === 'issues' ? names : [...names, ...KEY_PREFIXES.map((prefix) => `${prefix}<key>`)];
}

/** The value of the whole key, otherwise of a path of keys separated by dots. */
function extraValue(extra: JsonObject, key: string): FieldValue {
  const whole = ownValue(extra, key);
  if (whole !== undefined) return textsOf(whole);
  let value: JsonValue | undefined = extra;
  for (const step of key.split('.')) value = ownValue(value, step);
  return textsOf(value);
}

/** The value as text or number; an array yields its plain members, an object the empty text. */
function textsOf(value: JsonValue | undefined): FieldValue {
  if (typeof value === 'string' || typeof value === 'number') return value;
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return String(value);
  if (!Array.isArray(value)) return '';
  const texts: string[] = [];
  for (const member of value) if (typeof member !== 'object') texts.push(String(member));
  return texts;
}
