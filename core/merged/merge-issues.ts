import type { IssueDetail, IssueSummary } from '../../generated/reader-answers.js';
import { statusRank } from './merged-issue-order.js';

/** The same limit as in one source (core/contract/reader). */
const MAX_NAMES = 32;

type Several<Issue> = readonly [Issue, ...Issue[]];

/**
 * Merges an issue of several sources: counts are summed, names united, times are the earliest and the latest. The title
 * comes from the source that saw it first; level, type and latest release from the one that saw it last; a source where every
 * event repeats an occurrence decides these only if all do. The state is the most urgent (regressed, new, open, ignored,
 * resolved). `users` is an upper bound: a user of two sources counts twice.
 */
export function mergeIssues(issues: Several<IssueSummary>): IssueSummary {
  const counting = issues.filter((issue) => issue.count > 0 || issue.removed_events > 0);
  const deciding = counting.length > 0 ? counting : issues;
  const first = deciding.reduce((one, other) => (other.first_seen < one.first_seen ? other : one));
  const last = deciding.reduce((one, other) => (other.last_seen > one.last_seen ? other : one));
  const state = issues.reduce((one, other) => (statusRank(other) > statusRank(one) ? other : one));
  const { status, regressed, snooze, snooze_left, resolved_in, state_at, state_by } = state;
  return {
    ...first,
    level: last.level,
    type: last.type,
    status,
    regressed,
    snooze,
    snooze_left,
    resolved_in,
    state_at,
    state_by,
    is_new: status === 'open' && issues.some(({ is_new }) => is_new),
    spiking: issues.some(({ spiking }) => spiking),
    assignee: state.assignee ?? issues.find(({ assignee }) => assignee !== null)?.assignee ?? null,
    merged: union(issues.map(({ merged }) => merged)),
    ...issues
      .map(({ count, sampled, repeated = 0, removed_events, users }) => ({
        count,
        sampled,
        repeated,
        removed_events,
        users,
      }))
      .reduce(addNumbers),
    last_seen: last.last_seen,
    environments: union(issues.map((one) => one.environments))
      .sort()
      .slice(0, MAX_NAMES),
    releases: uniteReleases(issues),
    last_release: last.last_release ?? first.last_release,
    regressed_in: state.regressed_in ?? issues.find((one) => one.regressed_in !== null)?.regressed_in ?? null,
    trend: addTrends(issues.map(({ trend }) => trend)),
  };
}

/** Merges issue details like `mergeIssues`; histories are ordered by time. */
export function mergeDetails(issues: Several<IssueDetail>): IssueDetail {
  const [only] = issues;
  if (issues.length === 1) return only;
  const first = issues.reduce((one, other) => (other.first_seen < one.first_seen ? other : one));
  const byTime = (one: { readonly at: string }, other: { readonly at: string }) => (one.at < other.at ? -1 : 1);
  return {
    ...first,
    ...mergeIssues(issues),
    fingerprints: union(issues.map(({ fingerprints }) => fingerprints)),
    members: joinByKey(
      issues.flatMap(({ members }) => members),
      ({ issue_id }) => issue_id,
      (one, other) => addNumbers(other, one),
    ),
    history: issues.flatMap(({ history }) => history).sort(byTime),
    automatic_history: issues.flatMap(({ automatic_history }) => automatic_history).sort(byTime),
    related: union(issues.map(({ related }) => related)).slice(0, MAX_NAMES),
  };
}

/** One row for each key, in the order in which keys are first met. */
export function joinByKey<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  join: (one: Row, other: Row) => Row,
): Row[] {
  const byKey = new Map<string, Row>();
  for (const row of rows) {
    const other = byKey.get(keyOf(row));
    byKey.set(keyOf(row), other === undefined ? row : join(other, row));
  }
  return [...byKey.values()];
}

/** The first of two objects with its numbers replaced by the sums with those of the other; an absent number counts as 0. */
export function addNumbers<Counted extends object>(one: Counted, other: Counted): Counted {
  const sums: Record<string, number> = {};
  for (const [name, value] of [...Object.entries(one), ...Object.entries(other)]) {
    if (typeof value === 'number') sums[name] = (sums[name] ?? 0) + value;
  }
  return { ...one, ...sums };
}

/** The last one is the latest release of the source that saw the issue last; older ones are cut. */
function uniteReleases(issues: readonly IssueSummary[]): string[] {
  const inOrder = issues.toSorted((one, other) => (one.last_seen < other.last_seen ? -1 : 1));
  const newestFirst = inOrder.toReversed().flatMap(({ releases }) => releases.toReversed());
  return [...new Set(newestFirst)].slice(0, MAX_NAMES).reverse();
}

/** Trends are hourly and end with the current hour. */
function addTrends(trends: readonly (readonly number[])[]): number[] {
  const hours = Math.max(...trends.map((trend) => trend.length));
  return Array.from({ length: hours }, (_, hour) =>
    trends.reduce((sum, trend) => sum + (trend[trend.length - hours + hour] ?? 0), 0),
  );
}

function union<Value>(lists: readonly (readonly Value[])[]): Value[] {
  return [...new Set(lists.flat())];
}
