import type { Lifecycle } from '../issues/lifecycle.js';
import { formatTimestamp } from '../normalize/timestamp.js';
import type { IssueSummary } from '../reader.js';
import { hourOfMs, lastHours } from './index/hour-counts.js';
import type { IssueState } from './index/issue-state.js';

/** An issue as lists show it; the trend ends with the hour of `nowMs`. */
export function summarizeIssue(issue: IssueState, { status, regressed }: Lifecycle, nowMs: number): IssueSummary {
  return {
    issue_id: issue.issueId,
    fingerprint: issue.fingerprint,
    app: issue.app,
    service: issue.service,
    title: issue.title,
    culprit: issue.culprit,
    error_name: issue.errorName,
    message: issue.message,
    level: issue.level,
    type: issue.type,
    status,
    regressed,
    count: issue.count,
    removed_events: issue.removed,
    first_seen: formatTimestamp({ ms: issue.firstSeenMs, nanos: issue.firstSeenNanos }),
    last_seen: formatTimestamp({ ms: issue.lastSeenMs, nanos: issue.lastSeenNanos }),
    environments: [...issue.environments],
    releases: [...issue.releases],
    trend: lastHours(issue.hours, hourOfMs(nowMs)),
  };
}
