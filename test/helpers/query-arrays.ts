import { eventMatcher, issueMatcher } from '../../core/query/match-query.js';
import { parseQuery } from '../../core/query/parse-query.js';
import { type SearchableIssue, searchTextOf } from '../../core/query/searchable.js';
import type { EventDetail, IssueSummary } from '../../core/reader.js';

/** The issues that match a query, by the language itself. */
export function matchingIssues(issues: readonly IssueSummary[], query: string): IssueSummary[] {
  const matches = issueMatcher<SearchableIssue>(parseQuery(query, 'issues'), { nowMs: Date.now() });
  return issues.filter((issue) => matches(searchable(issue)));
}

/** The events that match a query, each under its issue. */
export function matchingEvents(
  events: readonly EventDetail[],
  issues: readonly IssueSummary[],
  query: string,
): EventDetail[] {
  const matches = eventMatcher(parseQuery(query, 'events'), { nowMs: Date.now() });
  return events.filter(({ normalized, issue_id: id }) => {
    const issue = issues.find(({ issue_id }) => issue_id === id);
    const receivedAtMicros = Date.parse(normalized.timestamp) * 1_000;
    return issue !== undefined && matches({ normalized, receivedAtMicros, issue: searchable(issue) });
  });
}

function searchable(issue: IssueSummary): SearchableIssue {
  const { title, message, error_name: errorName, status, assignee, count } = issue;
  return {
    issueId: issue.issue_id,
    fingerprint: issue.fingerprint,
    app: issue.app,
    service: issue.service,
    title,
    culprit: issue.culprit,
    errorName,
    message,
    level: issue.level,
    type: issue.type,
    status,
    isRegressed: issue.regressed,
    isNew: issue.is_new,
    isSpiking: issue.spiking,
    isMerged: issue.merged.length > 0,
    assignee,
    count,
    firstSeenMs: Date.parse(issue.first_seen),
    lastSeenMs: Date.parse(issue.last_seen),
    environments: issue.environments,
    releases: issue.releases,
    searchText: searchTextOf([title, errorName, message]),
  };
}
