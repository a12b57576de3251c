import { eventMatcher, issueMatcher } from '../../core/query/match-query.js';
import { parseQuery } from '../../core/query/parse-query.js';
import type { SearchableIssue } from '../../core/query/searchable.js';
import { searchableSummary } from '../../core/storage/issue-queries/issue-summary.js';
import { parseEventId } from '../../core/storage/record/partitions/event-id.js';
import type { EventDetail, IssueSummary } from '../../generated/reader-answers.js';

/** Returns the issues that match a query, without a store. */
export function matchingIssues(issues: readonly IssueSummary[], query: string): IssueSummary[] {
  const matches = issueMatcher(parseQuery(query, 'issues'), Date.now());
  return issues.filter((issue) => matches(searchable(issue)));
}

/** Returns the events that match a query, each tested with its issue. */
export function matchingEvents(
  events: readonly EventDetail[],
  issues: readonly IssueSummary[],
  query: string,
): EventDetail[] {
  const matches = eventMatcher(parseQuery(query, 'events'), Date.now());
  return events.filter(({ event_id, normalized, issue_id: id }) => {
    const issue = issues.find(({ issue_id }) => issue_id === id);
    const receivedAtMicros = parseEventId(event_id)?.receivedAtMicros ?? Date.parse(normalized.timestamp) * 1_000;
    return issue !== undefined && matches({ normalized, others: [], receivedAtMicros, issue: searchable(issue) });
  });
}

/** What queries match of each issue: ten thousand of them take half a second, once per request. */
const searchableIssues = new WeakMap<IssueSummary, SearchableIssue>();

function searchable(issue: IssueSummary): SearchableIssue {
  const known = searchableIssues.get(issue);
  if (known !== undefined) return known;
  const { title, error_name: errorName, message, first_seen, last_seen } = issue;
  const seen = { firstSeenMs: Date.parse(first_seen), lastSeenMs: Date.parse(last_seen) };
  const made = searchableSummary(issue, seen, [{ title, errorName, message }]);
  searchableIssues.set(issue, made);
  return made;
}
