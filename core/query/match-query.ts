import type { RawPayload } from '../event/raw-payload.js';
import type { FieldNode, QueryNode } from './query-ast.js';
import { type FieldValue, MARKS, type PayloadPart, type QueryField } from './query-fields.js';
import { SEARCH_TEXT_SEPARATOR, type SearchableEvent, type SearchableIssue, searchTextOf } from './searchable.js';
import { holdsInOrder, type TextPattern } from './text-pattern.js';
import { valueMatcher } from './value-matcher.js';

/** Whether a subject is what a query asks for. Made once for a query and then asked of very many subjects. */
export type Matcher<Subject> = (subject: Subject) => boolean;

/** One field of very many subjects, as numbers that are the same for subjects with the same value. */
interface CodedField<Subject> {
  codeOf(subject: Subject): number;
  valueOf(code: number): string | readonly string[];
}

/** One field of very many subjects that is a number or a time, as numbers. */
type NumberField<Subject> = (subject: Subject) => number;

/** Quicker ways to what a query asks than to look at each subject. */
interface MatchShortcuts<Subject> {
  /** Tells whether a subject's search text holds a part, which is in lower case. */
  holding(part: string): Matcher<Subject>;
  /** Undefined for fields that have none. */
  coded(field: string): CodedField<Subject> | undefined;
  /** Undefined for fields that have none. */
  numbers(field: string): NumberField<Subject> | undefined;
}

/** How a query looks at what it is asked of. */
interface View<Subject> {
  readonly valueOf: (field: QueryField, subject: Subject) => FieldValue;
  readonly searchTextOf: (subject: Subject) => string;
  /** Undefined where a subject has no issue: nothing is true of it then. */
  readonly issueOf: (subject: Subject) => SearchableIssue | undefined;
  readonly nowMs: number;
  readonly shortcuts?: MatchShortcuts<Subject> | undefined;
}

/** Tells the issues that a query for issues asks for; `nowMs` is the wall clock, from which relative times count. */
export function issueMatcher<Issue extends SearchableIssue>(
  query: QueryNode,
  nowMs: number,
  shortcuts?: MatchShortcuts<Issue>,
): Matcher<Issue> {
  return matcherOf<Issue>(query, {
    valueOf: (field, issue) => field.ofIssue?.(issue) ?? null,
    searchTextOf: (issue) => issue.searchText,
    issueOf: (issue) => issue,
    nowMs,
    shortcuts,
  });
}

/** Tells the events that a query for events asks for, as `issueMatcher`. */
export function eventMatcher(query: QueryNode, nowMs: number): Matcher<SearchableEvent> {
  return matcherOf<SearchableEvent>(query, {
    valueOf: (field, event) =>
      field.ofEvent?.(event) ??
      field.ofPayload?.(event.normalized) ??
      (isOfIssue(field) ? issueValue(field, event) : null),
    searchTextOf: ({ issue, normalized }) => searchTextOf([issue.title, ...ownTexts(normalized)]),
    issueOf: (event) => event.issue,
    nowMs,
  });
}

/** Tells the payloads that a query for payloads asks for. */
export function payloadMatcher(query: QueryNode): Matcher<RawPayload> {
  return matcherOf<RawPayload>(query, {
    valueOf: (field, payload) => field.ofPayload?.(payload) ?? null,
    searchTextOf: (payload) => searchTextOf(ownTexts(payload)),
    issueOf: () => undefined,
    nowMs: 0,
  });
}

/** Whether an event has a field from its issue only. */
export function isOfIssue(field: QueryField): boolean {
  return field.ofEvent === undefined && field.ofPayload === undefined;
}

function issueValue(field: QueryField, { issue }: SearchableEvent): FieldValue {
  return field.ofIssue?.(issue) ?? null;
}

function ownTexts({ error_name, message, route }: PayloadPart): string[] {
  return [error_name, message, route];
}

function matcherOf<Subject>(query: QueryNode, view: View<Subject>): Matcher<Subject> {
  switch (query.kind) {
    case 'and': {
      return everyOf(query.nodes.map((node) => matcherOf(node, view)));
    }
    case 'or': {
      const matchers = query.nodes.map((node) => matcherOf(node, view));
      return (subject) => {
        for (const matches of matchers) if (matches(subject)) return true;
        return false;
      };
    }
    case 'not': {
      const matches = matcherOf(query.node, view);
      return (subject) => !matches(subject);
    }
    case 'field':
      return fieldMatcher(query, view);
    case 'text':
      return textMatcher(query.pattern, view);
  }
}

function fieldMatcher<Subject>({ field, test }: FieldNode, view: View<Subject>): Matcher<Subject> {
  if (test.kind === 'mark') return markMatcher(test.mark, view);
  const { shortcuts, nowMs } = view;
  const matches = valueMatcher(field, test, nowMs);
  const numberOf = shortcuts?.numbers(field.name);
  if (numberOf !== undefined) return (subject) => matches(numberOf(subject));
  const matchesOne = (value: FieldValue): boolean => {
    if (value === null) return false;
    return typeof value === 'object' ? value.some(matches) : matches(value);
  };
  const coded = shortcuts?.coded(field.name);
  if (coded !== undefined) {
    const answers: boolean[] = [];
    return (subject) => {
      const code = coded.codeOf(subject);
      answers[code] ??= matchesOne(coded.valueOf(code));
      return answers[code];
    };
  }
  const isCandidate = field.isSearchText && test.kind === 'pattern' ? finderOf(test.pattern, view) : undefined;
  return (subject) => isCandidate?.(subject) !== false && matchesOne(view.valueOf(field, subject));
}

function markMatcher<Subject>(mark: string, view: View<Subject>): Matcher<Subject> {
  const holds = MARKS[mark];
  return (subject) => {
    const issue = view.issueOf(subject);
    return issue !== undefined && holds?.(issue) === true;
  };
}

function textMatcher<Subject>(pattern: TextPattern, view: View<Subject>): Matcher<Subject> {
  const isCandidate = finderOf(pattern, view);
  const [, word] = pattern;
  // Without a wildcard no word spans two texts, and looking at them all at once is what makes a scan of many issues quick.
  if (pattern.length === 3 && word !== undefined && !word.includes(SEARCH_TEXT_SEPARATOR)) {
    return isCandidate ?? ((subject) => view.searchTextOf(subject).includes(word));
  }
  const parts = pattern.slice(1, -1);
  return (subject) =>
    isCandidate?.(subject) !== false && holdsInOrder(parts, view.searchTextOf(subject), SEARCH_TEXT_SEPARATOR);
}

/** What the parts of a pattern rule out: a text that does not hold all of them, in any order, does not match. */
function finderOf<Subject>(pattern: TextPattern, view: View<Subject>): Matcher<Subject> | undefined {
  const { shortcuts } = view;
  const parts = pattern.filter((part) => part !== '');
  if (shortcuts === undefined || parts.length === 0) return undefined;
  return everyOf([...new Set(parts)].map((part) => shortcuts.holding(part)));
}

/**
 * Tells subjects that all matchers tell. What a matcher answers does not depend on the others, so one that said no moves forward by one place:
 * soon those that rule out most are asked first, and the others seldom.
 */
function everyOf<Subject>(matchers: readonly Matcher<Subject>[]): Matcher<Subject> {
  const inTurn = [...matchers];
  const [only] = inTurn;
  if (only !== undefined && inTurn.length === 1) return only;
  return (subject) => {
    for (let place = 0; place < inTurn.length; place += 1) {
      const matches = inTurn[place];
      if (matches === undefined || matches(subject)) continue;
      if (place > 0) inTurn.splice(place - 1, 2, matches, ...inTurn.slice(place - 1, place));
      return false;
    }
    return true;
  };
}
