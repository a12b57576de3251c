import type { IssueSort } from '../../../core/contract/reader.js';
import { levelSeverity } from '../../../core/normalize/level.js';
import type { IssueSummary } from '../../../generated/reader-answers.js';

/** Returns a number below zero if the first issue sorts first. */
export type CompareIssues = (one: IssueSummary, other: IssueSummary) => number;

/** The order of one `ISSUE_SORTS` value. */
export interface MergedIssueOrder {
  /** The total order that each source uses. */
  readonly compare: CompareIssues;
  /** Compares the sort value only. */
  readonly compareValue: CompareIssues;
  /** The sort value if it is summed over sources: a merged issue then sorts before its copies. */
  readonly summedValue: ((issue: IssueSummary) => number) | undefined;
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
};

/** Returns the order of a merged list. */
export function mergedIssueOrder(sort: IssueSort): MergedIssueOrder {
  const compareValue = BY_VALUE[sort];
  const compare: CompareIssues = (one, other) =>
    compareValue(one, other) || descending(one.last_seen, other.last_seen) || descending(other.issue_id, one.issue_id);
  return { compare, compareValue, summedValue: SUMS[sort] };
}

/** Ranks by urgency, highest first: regressed, new, open, ignored, resolved. */
export function statusRank({ status, regressed, is_new }: IssueSummary): number {
  if (status === 'resolved') return 0;
  if (status === 'ignored') return 1;
  if (regressed) return 4;
  return is_new ? 3 : 2;
}

function descending(one: string, other: string): number {
  if (one === other) return 0;
  return one > other ? -1 : 1;
}

/** Returns the number of events in the last 24 hours. */
export function eventsOfDay({ trend }: IssueSummary): number {
  return trend.reduce((sum, events) => sum + events, 0);
}
