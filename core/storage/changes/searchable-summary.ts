import type { IssueSummary } from '../../../generated/reader-answers.js';
import { type SearchableIssue, searchTextOf } from '../../query/searchable.js';
import type { IssueState } from '../index/content/issue-state.js';

/** Converts a summary to what queries match. */
export function searchableSummary(
  issue: IssueSummary,
  { firstSeenMs, lastSeenMs }: Pick<IssueState, 'firstSeenMs' | 'lastSeenMs'>,
): SearchableIssue {
  const { title, error_name: errorName, message } = issue;
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
    status: issue.status,
    isRegressed: issue.regressed,
    isNew: issue.is_new,
    isSpiking: issue.spiking,
    isMerged: issue.merged.length > 0,
    assignee: issue.assignee,
    count: issue.count,
    firstSeenMs,
    lastSeenMs,
    environments: issue.environments,
    releases: issue.releases,
    get searchText() {
      return searchTextOf([title, errorName, message]);
    },
  };
}
