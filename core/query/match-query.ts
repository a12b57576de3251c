import type { QueryNode } from './query-ast.js';
import type { QueryField } from './query-fields.js';
import { SEARCH_TEXT_SEPARATOR, type SearchableEvent, type SearchableIssue, searchTextOf } from './searchable.js';
import { matchesPattern, type TextPattern } from './text-pattern.js';

/** Whether a subject is what a query asks for. Made once for a query and then asked of very many subjects. */
export type Matcher<Subject> = (subject: Subject) => boolean;

/** How a query looks at what it is asked of. */
interface View<Subject> {
  readonly valueOf: (field: QueryField, subject: Subject) => string | readonly string[] | null;
  readonly searchTextOf: (subject: Subject) => string;
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
export function issueMatcher(query: QueryNode): Matcher<SearchableIssue> {
  return matcherOf(query, ISSUE_VIEW);
}

/** Tells the events that a query for events asks for. */
export function eventMatcher(query: QueryNode): Matcher<SearchableEvent> {
  return matcherOf(query, EVENT_VIEW);
}

function matcherOf<Subject>(query: QueryNode, view: View<Subject>): Matcher<Subject> {
  switch (query.kind) {
    case 'and': {
      const matchers = query.nodes.map((node) => matcherOf(node, view));
      return (subject) => matchers.every((matches) => matches(subject));
    }
    case 'or': {
      const matchers = query.nodes.map((node) => matcherOf(node, view));
      return (subject) => matchers.some((matches) => matches(subject));
    }
    case 'not': {
      const matches = matcherOf(query.node, view);
      return (subject) => !matches(subject);
    }
    case 'field': {
      const { field, pattern } = query;
      const matches = valueMatcher(field, pattern);
      return (subject) => {
        const value = view.valueOf(field, subject);
        if (value === null) return false;
        return typeof value === 'string' ? matches(value) : value.some(matches);
      };
    }
    case 'text': {
      const { pattern } = query;
      return (subject) => matchesText(pattern, view.searchTextOf(subject));
    }
  }
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

function matchesText(pattern: TextPattern, searchText: string): boolean {
  // Without a wildcard no word spans two texts, and looking at them all at once is what makes a scan of many issues quick.
  const word = pattern[1];
  if (pattern.length === 3 && word !== undefined) return searchText.includes(word);
  return searchText.split(SEARCH_TEXT_SEPARATOR).some((text) => matchesPattern(pattern, text));
}
