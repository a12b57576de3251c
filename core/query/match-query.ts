import type { RawPayload } from '../event/raw-payload.js';
import type { FieldNode, QueryNode } from './query-ast.js';
import { type FieldValue, ISSUE_FLAGS, type PayloadFields, type QueryField } from './query-fields.js';
import { SEARCH_TEXT_SEPARATOR, type SearchableEvent, type SearchableIssue, searchTextOf } from './searchable.js';
import { holdsInOrder, type TextPattern } from './text-pattern.js';
import { valueMatcher } from './value-matcher.js';

/** A compiled query. */
export type Matcher<Subject> = (subject: Subject) => boolean;

/** How a query reads the subjects that it tests. */
interface SubjectAccess<Subject> {
  readonly valueOf: (field: QueryField, subject: Subject) => FieldValue;
  readonly searchTextOf: (subject: Subject) => string;
  /** Undefined for a subject without an issue: no flag matches it. */
  readonly issueOf: (subject: Subject) => SearchableIssue | undefined;
  readonly nowMs: number;
}

/** Compiles a query for issues; relative times count from the wall clock `nowMs`. */
export function issueMatcher(query: QueryNode, nowMs: number): Matcher<SearchableIssue> {
  return createMatcher<SearchableIssue>(query, {
    valueOf: (field, issue) => field.ofIssue?.(issue) ?? null,
    searchTextOf: (issue) => issue.searchText,
    issueOf: (issue) => issue,
    nowMs,
  });
}

/** Compiles a query for events; `nowMs` as for issues. */
export function eventMatcher(query: QueryNode, nowMs: number): Matcher<SearchableEvent> {
  return createMatcher<SearchableEvent>(query, {
    valueOf: eventValue,
    searchTextOf({ issue, normalized, others }) {
      const reports = [normalized, ...others];
      return searchTextOf([issue.title, ...reports.flatMap(ownTexts)]);
    },
    issueOf: (event) => event.issue,
    nowMs,
  });
}

/** Compiles a query for payloads. */
export function payloadMatcher(query: QueryNode): Matcher<RawPayload> {
  return createMatcher<RawPayload>(query, {
    valueOf: (field, payload) => field.ofPayload?.(payload) ?? null,
    searchTextOf: (payload) => searchTextOf(ownTexts(payload)),
    issueOf: () => undefined,
    nowMs: 0,
  });
}

/** Fields in which only the event's own value counts, by which lists are kept. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['app', 'env', 'environment', 'environments', 'service', 'level']);

/** The value of an event; of most fields those of the other reports of its occurrence too. */
function eventValue(field: QueryField, event: SearchableEvent): FieldValue {
  const { normalized, others, issue } = event;
  if (isOfIssue(field)) return field.ofIssue?.(issue) ?? null;
  const value = field.ofEvent?.(event) ?? field.ofPayload?.(normalized) ?? null;
  if (others.length === 0 || field.ofEvent !== undefined || OWN_FIELDS.has(field.name)) return value;
  const known = others.flatMap((other) => field.ofPayload?.(other) || []);
  return known.length === 0 ? value : [value ?? [], known].flat();
}

/** Whether a query has terms about a field. */
export function namesField(query: QueryNode, name: string): boolean {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.nodes.some((node) => namesField(node, name));
    case 'not':
      return namesField(query.node, name);
    case 'field':
      return query.field.name === name;
    case 'text':
      return false;
  }
}

/** Whether an event gets a field from its issue only. */
export function isOfIssue(field: QueryField): boolean {
  return field.ofEvent === undefined && field.ofPayload === undefined;
}

function ownTexts({ error_name, message, route }: PayloadFields): string[] {
  return [error_name, message, route];
}

/** Compiles a query for subjects of any kind. */
export function createMatcher<Subject>(query: QueryNode, access: SubjectAccess<Subject>): Matcher<Subject> {
  switch (query.kind) {
    case 'and': {
      const matchers = query.nodes.map((node) => createMatcher(node, access));
      return (subject) => matchers.every((matches) => matches(subject));
    }
    case 'or': {
      const listed = listMatcher(query.nodes, access);
      if (listed !== undefined) return listed;
      const matchers = query.nodes.map((node) => createMatcher(node, access));
      return (subject) => matchers.some((matches) => matches(subject));
    }
    case 'not': {
      const matches = createMatcher(query.node, access);
      return (subject) => !matches(subject);
    }
    case 'field':
      return fieldMatcher(query, access);
    case 'text':
      return textMatcher(query.pattern, access);
  }
}

/** Looks a value up in a list of exact ones, for example of many ids; undefined for other alternatives. */
function listMatcher<Subject>(
  nodes: readonly QueryNode[],
  access: SubjectAccess<Subject>,
): Matcher<Subject> | undefined {
  const field = nodes[0]?.kind === 'field' ? nodes[0].field : undefined;
  if (field?.kind !== 'text') return undefined;
  const values = new Set<string>();
  for (const node of nodes) {
    if (node.kind !== 'field' || node.field !== field) return undefined;
    if (node.test.kind !== 'pattern' || node.test.pattern.length > 1) return undefined;
    values.add(node.test.pattern[0]);
  }
  const isListed = (value: string | number): boolean => values.has(String(value).toLowerCase());
  return (subject) => {
    const value = access.valueOf(field, subject);
    if (value === null) return false;
    return typeof value === 'object' ? value.some(isListed) : isListed(value);
  };
}

function fieldMatcher<Subject>({ field, test }: FieldNode, access: SubjectAccess<Subject>): Matcher<Subject> {
  if (test.kind === 'flag') return flagMatcher(test.flag, access);
  const matches = valueMatcher(field, test, access.nowMs);
  return (subject) => {
    const value = access.valueOf(field, subject);
    if (value === null) return false;
    return typeof value === 'object' ? value.some(matches) : matches(value);
  };
}

function flagMatcher<Subject>(flag: string, access: SubjectAccess<Subject>): Matcher<Subject> {
  const isSet = ISSUE_FLAGS[flag];
  return (subject) => {
    const issue = access.issueOf(subject);
    return issue !== undefined && isSet?.(issue) === true;
  };
}

function textMatcher<Subject>(pattern: TextPattern, access: SubjectAccess<Subject>): Matcher<Subject> {
  const [, word] = pattern;
  // A word without wildcards cannot span two texts, so one search over the joined texts is enough.
  if (pattern.length === 3 && word !== undefined && !word.includes(SEARCH_TEXT_SEPARATOR)) {
    return (subject) => access.searchTextOf(subject).includes(word);
  }
  const parts = pattern.slice(1, -1);
  return (subject) => holdsInOrder(parts, access.searchTextOf(subject), SEARCH_TEXT_SEPARATOR);
}
