import type { IssueSummary } from '../../generated/reader-answers.js';
import type { IssueSort } from '../contract/reader.js';
import { levelSeverity } from '../event/level.js';
import { compareTexts } from '../event/text.js';
import { shownAge } from '../issues/shown-age.js';

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

const BY_VALUE: Record<Exclude<IssueSort, 'last_seen'>, CompareIssues> = {
  first_seen: (one, other) => compareTexts(other.first_seen, one.first_seen),
  count: (one, other) => other.count - one.count,
  users: (one, other) => other.users - one.users,
  trend: (one, other) => eventsOfDay(other) - eventsOfDay(one),
  level: (one, other) => levelSeverity(other.level) - levelSeverity(one.level),
  status: (one, other) => statusRank(other) - statusRank(one),
};

/** Within one step of the order by last seen. */
function compareWithinStep(one: IssueSummary, other: IssueSummary): number {
  return (
    Number(hasSign(other)) - Number(hasSign(one)) ||
    levelSeverity(other.level) - levelSeverity(one.level) ||
    other.count - one.count ||
    compareTexts(one.issue_id, other.issue_id)
  );
}

/** Returns the order of a merged list; ages count from `nowMs`. */
export function mergedIssueOrder(sort: IssueSort, nowMs: number): MergedIssueOrder {
  if (sort === 'last_seen') {
    const age = ({ last_seen }: IssueSummary): number => shownAge(nowMs - Date.parse(last_seen));
    const compareValue: CompareIssues = (one, other) => age(one) - age(other);
    const compare: CompareIssues = (one, other) => compareValue(one, other) || compareWithinStep(one, other);
    return { compare, compareValue, summedValue: undefined };
  }
  const compareValue = BY_VALUE[sort];
  const compareLevel: CompareIssues = sort === 'status' ? BY_VALUE.level : () => 0;
  const compare: CompareIssues = (one, other) =>
    compareValue(one, other) ||
    compareLevel(one, other) ||
    compareTexts(other.last_seen, one.last_seen) ||
    compareTexts(one.issue_id, other.issue_id);
  return { compare, compareValue, summedValue: SUMS[sort] };
}

const OPEN_RANK = 2;

/** Ranks by urgency, highest first: regressed, spiking, new, open, ignored, resolved. */
export function statusRank({ status, regressed, spiking, is_new }: IssueSummary): number {
  if (status === 'resolved') return 0;
  if (status === 'ignored') return 1;
  if (regressed) return 5;
  if (spiking) return 4;
  return is_new ? 3 : OPEN_RANK;
}

/** Whether an issue is regressed, spiking or new. */
export function hasSign(issue: IssueSummary): boolean {
  return statusRank(issue) > OPEN_RANK;
}

function eventsOfDay({ trend }: IssueSummary): number {
  return trend.reduce((sum, events) => sum + events, 0);
}
