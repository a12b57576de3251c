import type { FieldValues, IssueCounts } from '../../../generated/reader-answers.js';
import type { FieldValueOptions, IssueListOptions } from '../../contract/reader.js';
import type { FieldValue } from '../../query/query-fields.js';
import { inTimeSlices } from '../../time-slice.js';
import type { IssueState } from '../index/content/issue-state.js';
import { comparePositions, IssueOrder, readCursor, type SortPosition } from './issue-order.js';
import type { IssueStatuses } from './issue-statuses.js';
import { decodeCursor, encodeCursor, pageLimit } from './page-cursor.js';

export interface ListedIssues {
  readonly statuses: IssueStatuses;
  /** By ordinal; absent: all match. */
  readonly matches?: ((ordinal: number) => boolean) | undefined;
}

interface Candidate extends SortPosition {
  readonly issue: IssueState;
}

/** Selects the page for `options` in one pass, in time slices. Rejects with `CURSOR_INVALID`. */
export async function selectIssues(
  { statuses, matches }: ListedIssues,
  options: IssueListOptions,
): Promise<{
  readonly issues: readonly IssueState[];
  readonly nextCursor: string | null;
  readonly total: number;
}> {
  const { sort = 'last_seen' } = options;
  const limit = pageLimit(options.limit);
  const list = ['issues', options.query ?? '', sort];
  const from = options.cursor === undefined ? undefined : readCursor(decodeCursor(list, options.cursor));
  const { nowMs, issues, merged } = statuses.lifecycles;
  const order = new IssueOrder(sort, statuses, from?.nowMs ?? nowMs);
  const after = from?.after;

  // One more than the page shows whether another page follows.
  const top = new TopItems<Candidate>(limit + 1, comparePositions);
  const { length } = issues.inOrder;
  let total = 0;
  await inTimeSlices(length, (index) => {
    // The newest issues are likely first in lists by time; older ones are then skipped early.
    const ordinal = length - 1 - index;
    if (merged.isHidden(ordinal) || matches?.(ordinal) === false) return;
    total += 1;
    const issue = statuses.issueAt(ordinal);
    if (issue === undefined || (top.last !== undefined && order.compare(issue, top.last) > 0)) return;
    if (after === undefined || order.compare(issue, after) > 0) top.offer({ ...order.positionOf(issue), issue });
  });
  const selected = top.items();
  const page = selected.slice(0, limit);
  const last = page.at(-1);
  const isLastPage = last === undefined || selected.length <= limit;
  return {
    issues: page.map(({ issue }) => issue),
    nextCursor: isLastPage ? null : encodeCursor(list, order.toCursor(last)),
    total,
  };
}

/** The first `size` items of an order, in memory of that size. */
export class TopItems<Item> {
  readonly #size: number;
  readonly #compare: (left: Item, right: Item) => number;
  #items: Item[] = [];
  /** The last item of a full selection, so later ones need not be offered; undefined until it is full. */
  last: Item | undefined;

  constructor(size: number, compare: (left: Item, right: Item) => number) {
    this.#size = size;
    this.#compare = compare;
  }

  offer(item: Item): void {
    if (this.last !== undefined && this.#compare(item, this.last) >= 0) return;
    this.#items.push(item);
    if (this.#items.length >= 2 * this.#size) this.#trim();
  }

  items(): Item[] {
    this.#trim();
    return this.#items;
  }

  #trim(): void {
    this.#items = this.#items.sort(this.#compare).slice(0, this.#size);
    if (this.#items.length === this.#size) this.last = this.#items.at(-1);
  }
}

/** Counts issues by state in one pass, in time slices. */
export async function countIssues({ statuses, matches }: ListedIssues, me: string | undefined): Promise<IssueCounts> {
  const counts: IssueCounts = {
    all: 0,
    open: 0,
    review: 0,
    mine: 0,
    new: 0,
    regressed: 0,
    ignored: 0,
    resolved: 0,
    spiking: 0,
  };
  const { issues, merged } = statuses.lifecycles;
  await inTimeSlices(issues.inOrder.length, (ordinal) => {
    if (merged.isHidden(ordinal) || matches?.(ordinal) === false) return;
    const status = statuses.status(ordinal);
    counts.all += 1;
    counts[status] += 1;
    if (status === 'open') countOpen(counts, statuses, ordinal, me?.toLowerCase());
    if (statuses.isRegressed(ordinal)) counts.regressed += 1;
    if (statuses.isSpiking(ordinal)) counts.spiking += 1;
  });
  return counts;
}

function countOpen(counts: IssueCounts, statuses: IssueStatuses, ordinal: number, me: string | undefined): void {
  if (statuses.isNew(ordinal)) counts.new += 1;
  if (statuses.hasSign(ordinal)) counts.review += 1;
  if (me !== undefined && statuses.assignee(ordinal)?.toLowerCase() === me) counts.mine += 1;
}

/** Counts the values of a field, read by ordinal, in one pass in time slices. */
export async function countValues(
  { statuses, matches }: ListedIssues,
  valueAt: (ordinal: number) => FieldValue,
  { prefix = '', limit }: Pick<FieldValueOptions, 'prefix' | 'limit'>,
): Promise<FieldValues> {
  const counts = new Map<string, number>();
  const { issues, merged } = statuses.lifecycles;
  await inTimeSlices(issues.inOrder.length, (ordinal) => {
    if (merged.isHidden(ordinal)) return;
    const field = valueAt(ordinal);
    const matching = matches?.(ordinal) === false ? 0 : 1;
    for (const value of [field ?? []].flat().map(String)) counts.set(value, (counts.get(value) ?? 0) + matching);
  });
  const start = prefix.toLowerCase();
  const values = [...counts].filter(([value]) => value !== '' && value.toLowerCase().startsWith(start));
  values.sort(([a, timesOfA], [b, timesOfB]) => timesOfB - timesOfA || (a < b ? -1 : 1));
  const shown = values.slice(0, pageLimit(limit)).map(([value, count]) => ({ value, count }));
  return { values: shown, total: values.length };
}
