import type { AutomaticChange, IssueDetail, IssueSummary } from '../../../generated/reader-answers.js';
import type { FingerprintBasis } from '../../fingerprint/fingerprint.js';
import { issueHistory } from '../../issues/issue-history.js';
import { formatTimestamp, instantFromMicros } from '../../normalize/timestamp.js';
import { type SearchableIssue, searchTextOf } from '../../query/searchable.js';
import { distinctUsers, type IssueState, lastReleaseOf } from '../index/content/issue-state.js';
import { hourOfMs, lastHours } from '../index/count-event.js';
import type { IssueLifecycles } from './issue-lifecycles.js';

/** Converts a summary to what queries match; `members` are the issues of its group. */
export function searchableSummary(
  issue: IssueSummary,
  { firstSeenMs, lastSeenMs }: Pick<IssueState, 'firstSeenMs' | 'lastSeenMs'>,
  members: readonly Pick<IssueState, 'title' | 'errorName' | 'message'>[],
): SearchableIssue {
  return {
    ...issue,
    issueId: issue.issue_id,
    errorName: issue.error_name,
    isRegressed: issue.regressed,
    firstRelease: issue.first_release ?? '',
    regressedIn: issue.regressed_in,
    isNew: issue.is_new,
    isSpiking: issue.spiking,
    isMerged: issue.merged.length > 0,
    firstSeenMs,
    lastSeenMs,
    get searchText() {
      return searchTextOf(members.flatMap((member) => [member.title, member.errorName, member.message]));
    },
  };
}

const MAX_RELATED = 32;

/** The basis of an issue without readable events. */
export function unknownBasis({ fingerprintVersion }: IssueState): FingerprintBasis {
  return { version: fingerprintVersion, rule: 'unknown', parts: [] };
}

/** Describes an issue in full, or the group of a merged one; `basis` is that of the surviving issue. */
export function describeIssue(
  issue: IssueState,
  basis: FingerprintBasis,
  lifecycles: IssueLifecycles,
  automatic: readonly AutomaticChange[] = [],
): IssueDetail {
  const members = lifecycles.membersOf(issue);
  const [survivor = issue] = members;
  const related = lifecycles.issues
    .related(survivor, MAX_RELATED + members.length)
    .filter((other) => !members.includes(other));
  const summary = summarizeIssue(survivor, lifecycles);
  const back = automatic.findLast(({ kind }) => kind === 'regressed');
  return {
    ...summary,
    // From the event itself, where the first and the latest of each release do not tell.
    regressed_in: back?.detail ?? summary.regressed_in,
    fingerprints: members.map(({ fingerprint }) => fingerprint),
    members: members.slice(1).map((member) => ({
      issue_id: member.issueId,
      title: member.title,
      culprit: member.culprit,
      error_name: member.errorName,
      message: member.message,
      count: member.count,
    })),
    fingerprint_version: survivor.fingerprintVersion,
    basis,
    history: issueHistory(lifecycles.actionsOf(survivor), (actionId) => lifecycles.actions.isUndone(actionId)),
    automatic_history: [...automatic],
    related: related.slice(0, MAX_RELATED).map(({ issueId }) => issueId),
  };
}

/** Summarizes an issue, or the group of a merged one; the trend ends with the hour of `lifecycles.nowMs`. */
export function summarizeIssue(issue: IssueState, lifecycles: IssueLifecycles): IssueSummary {
  const shown = lifecycles.shownAs(issue);
  const lifecycle = lifecycles.lifecycleOf(shown);
  const { decidedBy } = lifecycle;
  const [, ...merged] = lifecycles.membersOf(shown);
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
    is_new: lifecycles.isNew(shown, lifecycle),
    spiking: lifecycles.isSpiking(shown),
    assignee: lifecycle.assignee,
    snooze: lifecycle.snooze,
    snooze_left: lifecycle.snoozeLeft,
    resolved_in: lifecycle.resolvedIn,
    state_at: decidedBy && formatTimestamp(instantFromMicros(decidedBy.atMicros)),
    state_by: decidedBy?.actor ?? null,
    merged: merged.map(({ issueId }) => issueId),
    count: shown.count,
    sampled: shown.sampled,
    repeated: shown.repeated,
    removed_events: shown.removed,
    users: distinctUsers(shown),
    first_seen: formatTimestamp({ ms: shown.firstSeenMs, nanos: shown.firstSeenNanos }),
    last_seen: formatTimestamp({ ms: shown.lastSeenMs, nanos: shown.lastSeenNanos }),
    environments: [...shown.environments],
    releases: [...shown.releases],
    first_release: shown.firstRelease || null,
    last_release: lastReleaseOf(shown),
    regressed_in: lifecycle.regressedIn,
    trend: lastHours(shown.hours, hourOfMs(lifecycles.nowMs)),
  };
}
