import { toIssueId } from '../event/ids.js';
import type { IssueListOptions, IssueSort } from '../reader.js';
import type { IssueState } from './index/issue-state.js';
import { decodeCursor, encodeCursor, invalidCursor } from './page-cursor.js';
import { pageLimit } from './page-limit.js';
import { TopItems } from './top-items.js';

/** A page of issues, before it is written out for people. */
export interface IssueSelection {
  readonly issues: readonly IssueState[];
  readonly nextCursor: string | null;
  /** Issues that match, over all pages. */
  readonly total: number;
}

/** What issues are sorted by: the greater major first, then the greater minor, then the lesser id. */
interface SortPlace {
  readonly major: number;
  readonly minor: number;
  readonly issueId: string;
}

type SortKey = (issue: IssueState) => number;

const SORT_KEYS: Record<IssueSort, { major: SortKey; minor: SortKey }> = {
  last_seen: { major: (issue) => issue.lastSeenMs, minor: (issue) => issue.lastSeenNanos },
  first_seen: { major: (issue) => issue.firstSeenMs, minor: (issue) => issue.firstSeenNanos },
  count: { major: (issue) => issue.count, minor: () => 0 },
};

/** Picks the page that `options` ask for, in one pass over all issues; without `matches` all match. Throws `CURSOR_INVALID`. */
export function selectIssues(
  issues: readonly IssueState[],
  matches: ((issue: IssueState) => boolean) | undefined,
  options: IssueListOptions,
): IssueSelection {
  const sort = options.sort ?? 'last_seen';
  const limit = pageLimit(options.limit);
  const list = ['issues', options.query ?? '', sort];
  const after = options.cursor === undefined ? undefined : toSortPlace(decodeCursor(list, options.cursor));
  const { major, minor } = SORT_KEYS[sort];
  const compare = (left: IssueState, right: IssueState): number =>
    major(right) - major(left) || minor(right) - minor(left) || compareText(left.issueId, right.issueId);
  const isAfter = (issue: IssueState, place: SortPlace): boolean =>
    (place.major - major(issue) || place.minor - minor(issue) || compareText(issue.issueId, place.issueId)) > 0;

  let total = 0;
  // One more than the page holds tells whether there is another page.
  const top = new TopItems(limit + 1, compare);
  // From the newest issue back, because by time the newest are likely to be the first, and those behind them are passed over at a glance.
  for (let ordinal = issues.length - 1; ordinal >= 0; ordinal -= 1) {
    const issue = issues[ordinal];
    if (issue === undefined || matches?.(issue) === false) continue;
    total += 1;
    if (after === undefined || isAfter(issue, after)) top.offer(issue);
  }
  const found = top.items();
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const nextCursor =
    last === undefined || found.length <= limit ? null : encodeCursor(list, [major(last), minor(last), last.issueId]);
  return { issues: page, nextCursor, total };
}

function toSortPlace(place: readonly unknown[]): SortPlace {
  const [major, minor, id] = place;
  const issueId = typeof id === 'string' ? toIssueId(id) : undefined;
  if (typeof major !== 'number' || typeof minor !== 'number' || issueId === undefined) throw invalidCursor();
  return { major, minor, issueId };
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
