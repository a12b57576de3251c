import type { IssueSummary } from '../../../generated/reader-answers.js';
import { formatTimestamp } from '../../normalize/timestamp.js';
import type { IssueState } from '../index/content/issue-state.js';
import { distinctUsers } from '../index/content/user-sketch.js';
import { hourOfMs, lastHours } from '../index/count-event.js';
import type { IssueLifecycles } from './issue-lifecycles.js';

/** An issue, or the group of a merged one, as lists show it; the trend ends with the hour of `lives`. */
export function summarizeIssue(issue: IssueState, lives: IssueLifecycles): IssueSummary {
  const shown = lives.shownAs(issue);
  const lifecycle = lives.lifecycleOf(shown);
  const [, ...merged] = lives.membersOf(shown);
  return {
    issue_id: shown.issueId,
    fingerprint: shown.fingerprint,
    app: shown.app,
    service: shown.service,
    title: shown.title,
    culprit: shown.culprit,
    error_name: shown.errorName,
    message: shown.message,
    level: shown.level,
    type: shown.type,
    status: lifecycle.status,
    regressed: lifecycle.regressed,
    is_new: lives.isNew(shown, lifecycle),
    spiking: lives.isSpiking(shown),
    assignee: lifecycle.assignee,
    snooze: lifecycle.snooze,
    resolved_in: lifecycle.resolvedIn,
    merged: merged.map(({ issueId }) => issueId),
    count: shown.count,
    sampled: shown.sampled,
    removed_events: shown.removed,
    users: distinctUsers(shown),
    first_seen: formatTimestamp({ ms: shown.firstSeenMs, nanos: shown.firstSeenNanos }),
    last_seen: formatTimestamp({ ms: shown.lastSeenMs, nanos: shown.lastSeenNanos }),
    environments: [...shown.environments],
    releases: [...shown.releases],
    trend: lastHours(shown.hours, hourOfMs(lives.nowMs)),
  };
}
