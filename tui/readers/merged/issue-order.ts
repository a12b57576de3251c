import type { IssueGrouping, IssueSort } from '../../../core/contract/reader.js';
import { levelSeverity } from '../../../core/storage/issue-queries/level-severity.js';
import { orderedForm } from '../../../core/storage/issue-queries/string-ranks.js';
import type { IssueSummary } from '../../../generated/reader-answers.js';

/** Below zero where the first one stands before the other. */
export type CompareIssues = (one: IssueSummary, other: IssueSummary) => number;

/** How the list of each source is ordered, as `ISSUE_SORTS` says. */
export interface IssueOrder {
  /** As a source orders what it has. */
  readonly compare: CompareIssues;
  /** By the sort alone: zero where issues have the same value. */
  readonly compareValue: CompareIssues;
  /** What issues are sorted by where that adds up over sources: then a merged issue stands before where any of its sources has it. */
  readonly sum: ((issue: IssueSummary) => number) | undefined;
}

const SUMS: Partial<Record<IssueSort, (issue: IssueSummary) => number>> = {
  count: ({ count }) => count,
  users: ({ users }) => users,
  trend: eventsOfDay,
};

const BY_VALUE: Record<IssueSort, CompareIssues> = {
  last_seen: (one, other) => descending(one.last_seen, other.last_seen),
  first_seen: (one, other) => descending(one.first_seen, other.first_seen),
  count: (one, other) => other.count - one.count,
  users: (one, other) => other.users - one.users,
  trend: (one, other) => eventsOfDay(other) - eventsOfDay(one),
  level: (one, other) => levelSeverity(other.level) - levelSeverity(one.level),
  status: (one, other) => statusRank(other) - statusRank(one),
  title: (one, other) => ascending(one.title, other.title),
  service: (one, other) => ascending(one.service, other.service),
  environment: (one, other) => ascending(one.environments[0] ?? '', other.environments[0] ?? ''),
  release: (one, other) => ascending(one.releases.at(-1) ?? '', other.releases.at(-1) ?? ''),
};

/** The order of a list. */
export function issueOrder(sort: IssueSort, group: IssueGrouping | undefined): IssueOrder {
  const compareValue = BY_VALUE[sort];
  const compare: CompareIssues = (one, other) =>
    (group === undefined ? 0 : compareGroups(one, other)) ||
    compareValue(one, other) ||
    descending(one.last_seen, other.last_seen) ||
    descending(other.issue_id, one.issue_id);
  return { compare, compareValue, sum: SUMS[sort] };
}

/** The greater the sooner somebody should look: regressed, new, open, ignored, resolved. */
export function statusRank({ status, regressed, is_new }: IssueSummary): number {
  if (status === 'resolved') return 0;
  if (status === 'ignored') return 1;
  if (regressed) return 4;
  return is_new ? 3 : 2;
}

/** Zero for issues of the same app and service. */
export function compareGroups(one: IssueSummary, other: IssueSummary): number {
  return (
    ascending(one.app, other.app) ||
    ascending(one.service, other.service) ||
    descending(other.app, one.app) ||
    descending(other.service, one.service)
  );
}

function descending(one: string, other: string): number {
  if (one === other) return 0;
  return one > other ? -1 : 1;
}

/** Upper and lower case alike, the empty text last. */
function ascending(one: string, other: string): number {
  if (one === '' || other === '') return Number(one === '') - Number(other === '');
  return descending(orderedForm(other), orderedForm(one));
}

/** Events of the last 24 hours. */
export function eventsOfDay({ trend }: IssueSummary): number {
  return trend.reduce((sum, events) => sum + events, 0);
}
