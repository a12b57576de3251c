import type { IssueDetail, IssueSummary } from '../../../generated/reader-answers.js';
import { statusRank } from './issue-order.js';

/** As in one source (core/contract/reader). */
const MAX_NAMES = 32;

/** Of the same issue in several sources. */
type Several<Issue> = readonly [Issue, ...Issue[]];

/**
 * The same issue of several sources as one: counts add up, times are the outermost, names are united; described by the source that saw it first; level, type and latest release by
 * the one that saw it last; its state is the one that asks most for a look (regressed, new, open, ignored, resolved).
 * Users add up too, so that somebody who is known to two sources counts twice: there are at most so many.
 */
export function mergeIssues(issues: Several<IssueSummary>): IssueSummary {
  const first = issues.reduce((one, other) => (other.first_seen < one.first_seen ? other : one));
  const last = issues.reduce((one, other) => (other.last_seen > one.last_seen ? other : one));
  const state = issues.reduce((one, other) => (statusRank(other) > statusRank(one) ? other : one));
  return {
    ...first,
    level: last.level,
    type: last.type,
    status: state.status,
    regressed: state.regressed,
    is_new: state.status === 'open' && issues.some(({ is_new }) => is_new),
    spiking: issues.some(({ spiking }) => spiking),
    assignee: state.assignee ?? issues.find(({ assignee }) => assignee !== null)?.assignee ?? null,
    snooze: state.snooze,
    resolved_in: state.resolved_in,
    merged: united(issues.map(({ merged }) => merged)),
    count: sumOf(issues, ({ count }) => count),
    sampled: sumOf(issues, ({ sampled }) => sampled),
    removed_events: sumOf(issues, ({ removed_events }) => removed_events),
    users: sumOf(issues, ({ users }) => users),
    last_seen: last.last_seen,
    environments: united(issues.map(({ environments }) => environments))
      .sort()
      .slice(0, MAX_NAMES),
    releases: uniteReleases(issues),
    trend: addTrends(issues.map(({ trend }) => trend)),
  };
}

/** As `mergeIssues`, in full: the histories in order of time, the explanation of the source that saw it first. */
export function mergeDetails(issues: Several<IssueDetail>): IssueDetail {
  const [only] = issues;
  if (issues.length === 1) return only;
  const first = issues.reduce((one, other) => (other.first_seen < one.first_seen ? other : one));
  return {
    ...first,
    ...mergeIssues(issues),
    fingerprints: united(issues.map(({ fingerprints }) => fingerprints)),
    history: issues.flatMap(({ history }) => history).sort((one, other) => (one.at < other.at ? -1 : 1)),
    related: united(issues.map(({ related }) => related)).slice(0, MAX_NAMES),
  };
}

/** In order of the sources' last sight, so that the last one is that of the source that saw it last; those before are cut. */
function uniteReleases(issues: readonly IssueSummary[]): string[] {
  const inOrder = issues.toSorted((one, other) => (one.last_seen < other.last_seen ? -1 : 1));
  const newestFirst = inOrder.toReversed().flatMap(({ releases }) => releases.toReversed());
  return [...new Set(newestFirst)].slice(0, MAX_NAMES).reverse();
}

/** Hour by hour, the running one last. */
function addTrends(trends: readonly (readonly number[])[]): number[] {
  const hours = Math.max(...trends.map((trend) => trend.length));
  return Array.from({ length: hours }, (_, hour) => sumOf(trends, (trend) => trend[trend.length - hours + hour] ?? 0));
}

function united<Value>(lists: readonly (readonly Value[])[]): Value[] {
  return [...new Set(lists.flat())];
}

function sumOf<Value>(values: readonly Value[], of: (value: Value) => number): number {
  return values.reduce((sum, value) => sum + of(value), 0);
}
