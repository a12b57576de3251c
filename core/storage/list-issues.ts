import { toIssueId } from '../event/ids.js';
import type { IssueListOptions } from '../reader.js';
import { beginTimeSlice } from '../time-slice.js';
import type { IssueState } from './index/issue-state.js';
import { type IssueColumns, tieOf } from './issue-columns.js';
import type { MergedIssues } from './merged-issues.js';
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
  /** Of the id, which decides where even these are the same. */
  readonly tie: number;
  readonly issueId: string;
}

/** What a list is made of. */
export interface ListedIssues {
  /** By ordinal. */
  readonly issues: readonly IssueState[];
  readonly columns: IssueColumns;
  readonly merged: Pick<MergedIssues, 'hidden' | 'shown'>;
  /** By ordinal; absent: all match. */
  readonly matches?: ((ordinal: number) => boolean) | undefined;
}

interface Candidate extends SortPlace {
  readonly issue: IssueState;
}

/** Issues between two looks at the clock. */
const ISSUES_PER_LOOK = 256;

/**
 * Picks the page that `options` ask for, in one pass over all issues but those that are shown as part of another one. The event loop turns during the pass: each issue is judged
 * once, by what was known of it when the pass came to it, and the cursor holds what its last one was sorted by; issues that come meanwhile are left out.
 * Rejects with `CURSOR_INVALID`.
 */
export async function selectIssues(
  { issues, columns, merged: { hidden, shown }, matches }: ListedIssues,
  options: IssueListOptions,
): Promise<IssueSelection> {
  const sort = options.sort ?? 'last_seen';
  const limit = pageLimit(options.limit);
  const list = ['issues', options.query ?? '', sort];
  const after = options.cursor === undefined ? undefined : toSortPlace(decodeCursor(list, options.cursor));
  const { major: majors, minor: minors, tie: ties } = columns.sortedBy(sort);

  // One more than the page holds tells whether there is another page.
  const top = new TopItems<Candidate>(limit + 1, comparePlaces);
  /** Judges the issues of a range and answers how many match; as a function of its own it is compiled much better than between two waits. */
  const judge = (first: number, end: number): number => {
    let matching = 0;
    for (let ordinal = end - 1; ordinal >= first; ordinal -= 1) {
      if ((hidden.size > 0 && hidden.has(ordinal)) || matches?.(ordinal) === false) continue;
      matching += 1;
      const major = majors[ordinal] ?? 0;
      const minor = minors[ordinal] ?? 0;
      // Most issues are passed over here, without a look at the issue itself.
      const tie = ties[ordinal] ?? 0;
      if (top.last !== undefined && compareNumbers(major, minor, tie, top.last) > 0) continue;
      if (after !== undefined && compareNumbers(major, minor, tie, after) < 0) continue;
      const issue = shown.get(ordinal) ?? issues[ordinal];
      if (issue === undefined) continue;
      const candidate = { major, minor, tie, issueId: issue.issueId, issue };
      if (after === undefined || comparePlaces(candidate, after) > 0) top.offer(candidate);
    }
    return matching;
  };

  let total = 0;
  const slice = beginTimeSlice();
  // From the newest issue back, because by time the newest are likely to be the first, and those behind them are passed over at a glance.
  for (let end = columns.length; end > 0; end -= ISSUES_PER_LOOK) {
    if (slice.isOver) await slice.next();
    total += judge(Math.max(0, end - ISSUES_PER_LOOK), end);
  }
  const found = top.items();
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const nextCursor =
    last === undefined || found.length <= limit ? null : encodeCursor(list, [last.major, last.minor, last.issueId]);
  return { issues: page.map(({ issue }) => issue), nextCursor, total };
}

function toSortPlace(place: readonly unknown[]): SortPlace {
  const [major, minor, id] = place;
  const issueId = typeof id === 'string' ? toIssueId(id) : undefined;
  if (typeof major !== 'number' || typeof minor !== 'number' || issueId === undefined) throw invalidCursor();
  return { major, minor, tie: tieOf(issueId), issueId };
}

function comparePlaces(left: SortPlace, right: SortPlace): number {
  return compareNumbers(left.major, left.minor, left.tie, right) || compareText(left.issueId, right.issueId);
}

function compareNumbers(major: number, minor: number, tie: number, right: SortPlace): number {
  return right.major - major || right.minor - minor || tie - right.tie;
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
