import type { QueryNode } from './query-ast.js';
import { SEARCH_TEXT_SEPARATOR, type SearchableEvent, type SearchableIssue, searchTextOf } from './searchable.js';
import { matchesPattern, type TextPattern } from './text-pattern.js';

/** Whether an issue is what a query for issues asks for. */
export function matchIssue(query: QueryNode, issue: SearchableIssue): boolean {
  switch (query.kind) {
    case 'and':
      return query.nodes.every((node) => matchIssue(node, issue));
    case 'or':
      return query.nodes.some((node) => matchIssue(node, issue));
    case 'not':
      return !matchIssue(query.node, issue);
    case 'field':
      return matchesValue(query.pattern, query.field.ofIssue?.(issue) ?? null);
    case 'text':
      return matchesText(query.pattern, issue.searchText);
  }
}

/** Whether an event is what a query for events asks for. */
export function matchEvent(query: QueryNode, event: SearchableEvent): boolean {
  switch (query.kind) {
    case 'and':
      return query.nodes.every((node) => matchEvent(node, event));
    case 'or':
      return query.nodes.some((node) => matchEvent(node, event));
    case 'not':
      return !matchEvent(query.node, event);
    case 'field':
      return matchesValue(query.pattern, query.field.ofEvent(event));
    case 'text': {
      const { error_name, message, route } = event.normalized;
      return matchesText(query.pattern, searchTextOf([event.title, error_name, message, route]));
    }
  }
}

function matchesValue(pattern: TextPattern, value: string | readonly string[] | null): boolean {
  if (value === null) return false;
  if (typeof value === 'string') return matchesPattern(pattern, value.toLowerCase());
  return value.some((member) => matchesPattern(pattern, member.toLowerCase()));
}

function matchesText(pattern: TextPattern, searchText: string): boolean {
  // Without a wildcard no word spans two texts, and looking at them all at once is what makes a scan of many issues quick.
  const word = pattern[1];
  if (pattern.length === 3 && word !== undefined) return searchText.includes(word);
  return searchText.split(SEARCH_TEXT_SEPARATOR).some((text) => matchesPattern(pattern, text));
}
