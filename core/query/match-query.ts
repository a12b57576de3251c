import type { QueryNode } from './query-ast.js';
import type { QueryField } from './query-fields.js';
import { SEARCH_TEXT_SEPARATOR, type SearchableEvent, type SearchableIssue, searchTextOf } from './searchable.js';
import { holdsInOrder, matchesPattern, type TextPattern } from './text-pattern.js';

/** Whether a subject is what a query asks for. Made once for a query and then asked of very many subjects. */
export type Matcher<Subject> = (subject: Subject) => boolean;

/** One field of very many subjects, as numbers that are the same for subjects with the same value. */
export interface CodedField<Subject> {
  codeOf(subject: Subject): number;
  valueOf(code: number): string | readonly string[];
}

/** Quicker ways to what a query asks than to look at each subject. */
export interface MatchShortcuts<Subject> {
  /** Tells whether a subject's search text holds a part, which is in lower case. */
  holding(part: string): Matcher<Subject>;
  /** Undefined for fields that have none. */
  coded(field: string): CodedField<Subject> | undefined;
}

/** How a query looks at what it is asked of. */
interface View<Subject> {
  readonly valueOf: (field: QueryField, subject: Subject) => string | readonly string[] | null;
  readonly searchTextOf: (subject: Subject) => string;
  readonly shortcuts?: MatchShortcuts<Subject> | undefined;
}

const ISSUE_VIEW: View<SearchableIssue> = {
  valueOf: (field, issue) => field.ofIssue?.(issue) ?? null,
  searchTextOf: (issue) => issue.searchText,
};

const EVENT_VIEW: View<SearchableEvent> = {
  valueOf: (field, event) => field.ofEvent(event),
  searchTextOf: ({ title, normalized: { error_name, message, route } }) =>
    searchTextOf([title, error_name, message, route]),
};

/** Answers that a matcher remembers of one term; few names have more values, and those are compared each time. */
const MAX_REMEMBERED = 1024;

/** Tells the issues that a query for issues asks for. */
export function issueMatcher<Issue extends SearchableIssue>(
  query: QueryNode,
  shortcuts?: MatchShortcuts<Issue>,
): Matcher<Issue> {
  return matcherOf<Issue>(query, { ...ISSUE_VIEW, shortcuts });
}

/** Tells the events that a query for events asks for. */
export function eventMatcher(query: QueryNode): Matcher<SearchableEvent> {
  return matcherOf(query, EVENT_VIEW);
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
      return fieldMatcher(query.field, query.pattern, view);
    case 'text':
      return textMatcher(query.pattern, view);
  }
}

function fieldMatcher<Subject>(field: QueryField, pattern: TextPattern, view: View<Subject>): Matcher<Subject> {
  const matches = valueMatcher(field, pattern);
  const matchesOne = (value: string | readonly string[]): boolean =>
    typeof value === 'string' ? matches(value) : value.some(matches);
  const coded = view.shortcuts?.coded(field.name);
  if (coded !== undefined) {
    const answers: boolean[] = [];
    return (subject) => {
      const code = coded.codeOf(subject);
      answers[code] ??= matchesOne(coded.valueOf(code));
      return answers[code];
    };
  }
  const isCandidate = field.isSearchText ? finderOf(pattern, view) : undefined;
  return (subject) => {
    if (isCandidate?.(subject) === false) return false;
    const value = view.valueOf(field, subject);
    return value !== null && matchesOne(value);
  };
}

function textMatcher<Subject>(pattern: TextPattern, view: View<Subject>): Matcher<Subject> {
  const isCandidate = finderOf(pattern, view);
  const [, word] = pattern;
  // Without a wildcard no word spans two texts, and looking at them all at once is what makes a scan of many issues quick.
  if (pattern.length === 3 && word !== undefined) {
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

function valueMatcher(field: QueryField, pattern: TextPattern): Matcher<string> {
  const matches = (value: string): boolean => matchesPattern(pattern, value.toLowerCase());
  if (!field.isRepeated) return matches;
  const remembered = new Map<string, boolean>();
  return (value) => {
    const known = remembered.get(value);
    if (known !== undefined) return known;
    const answer = matches(value);
    if (remembered.size < MAX_REMEMBERED) remembered.set(value, answer);
    return answer;
  };
}
