import type { SearchableEvent, SearchableIssue } from './searchable.js';

/** What a query is asked of. */
export type QuerySubject = 'issues' | 'events';

/** Something that a query can name. */
export interface QueryField {
  readonly name: string;
  /** Whether few values are shared by many issues and events, so that it pays to remember what was found of each. */
  readonly isRepeated?: boolean;
  /** Whether an issue's search text holds it. */
  readonly isSearchText?: boolean;
  /** Absent: issues have no such field. A list matches when one of its members does. */
  readonly ofIssue?: (issue: SearchableIssue) => string | readonly string[];
  /** Null: the event has no value, which matches nothing. */
  readonly ofEvent: (event: SearchableEvent) => string | null;
}

/** Begins the name of a tag's field, `tags.<key>` or `tags."any key"`. */
export const TAG_PREFIX = 'tags.';

const environment: Omit<QueryField, 'name'> = {
  isRepeated: true,
  ofIssue: (issue) => issue.environments,
  ofEvent: (event) => event.normalized.env,
};

const fields: readonly QueryField[] = [
  { name: 'level', isRepeated: true, ofIssue: (issue) => issue.level, ofEvent: (event) => event.normalized.level },
  { name: 'env', ...environment },
  { name: 'environment', ...environment },
  {
    name: 'service',
    isRepeated: true,
    ofIssue: (issue) => issue.service,
    ofEvent: (event) => event.normalized.service,
  },
  { name: 'app', isRepeated: true, ofIssue: (issue) => issue.app, ofEvent: (event) => event.normalized.app },
  {
    name: 'release',
    isRepeated: true,
    ofIssue: (issue) => issue.releases,
    ofEvent: (event) => event.normalized.release,
  },
  { name: 'type', isRepeated: true, ofIssue: (issue) => issue.type, ofEvent: (event) => event.normalized.type },
  {
    name: 'error_name',
    isRepeated: true,
    ofIssue: (issue) => issue.errorName,
    ofEvent: (event) => event.normalized.error_name,
  },
  { name: 'title', isSearchText: true, ofIssue: (issue) => issue.title, ofEvent: (event) => event.title },
  {
    name: 'message',
    isSearchText: true,
    ofIssue: (issue) => issue.message,
    ofEvent: (event) => event.normalized.message,
  },
  { name: 'status', isRepeated: true, ofIssue: (issue) => issue.status, ofEvent: (event) => event.status },
  { name: 'fingerprint', ofIssue: (issue) => issue.fingerprint, ofEvent: (event) => event.normalized.fingerprint },
  { name: 'issue_id', ofIssue: (issue) => issue.issueId, ofEvent: (event) => event.issueId },
  { name: 'event_id', ofEvent: (event) => event.normalized.event_id },
  { name: 'route', ofEvent: (event) => event.normalized.route },
  { name: 'method', isRepeated: true, ofEvent: (event) => event.normalized.method },
  { name: 'status_code', isRepeated: true, ofEvent: (event) => event.normalized.status_code?.toString() ?? null },
  { name: 'user_id', ofEvent: (event) => event.normalized.user_id },
  { name: 'request_id', ofEvent: (event) => event.normalized.request_id },
  { name: 'session_id', ofEvent: (event) => event.normalized.session_id },
];

const fieldsByName: ReadonlyMap<string, QueryField> = new Map(fields.map((field) => [field.name, field]));

/** The field of that name, whoever has it; `tags.<key>` is one for every key. */
export function findQueryField(name: string): QueryField | undefined {
  if (!name.startsWith(TAG_PREFIX)) return fieldsByName.get(name);
  const key = name.slice(TAG_PREFIX.length);
  if (key === '') return undefined;
  return {
    name,
    ofEvent: ({ normalized }) => (Object.hasOwn(normalized.tags, key) ? (normalized.tags[key] ?? null) : null),
  };
}

/** The names that a query about a subject may use, in the order in which they are told to people. */
export function queryFieldNames(subject: QuerySubject): string[] {
  if (subject === 'events') return [...fieldsByName.keys(), `${TAG_PREFIX}<key>`];
  return fields.filter((field) => field.ofIssue !== undefined).map((field) => field.name);
}
