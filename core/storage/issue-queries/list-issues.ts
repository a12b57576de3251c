import type { FieldValues, IssueCounts } from '../../../generated/reader-answers.js';
import type { FieldValueOptions, IssueListOptions } from '../../contract/reader.js';
import type { FieldValue } from '../../query/query-fields.js';
import { beginTimeSlice, inTimeSlices } from '../../time-slice.js';
import type { IssueState } from '../index/content/issue-state.js';
import type { IssueColumns } from './issue-columns.js';
import { comparePositions, IssueOrder, readCursor, type SortPosition } from './issue-order.js';
import type { MergedIssues } from './merged-issues.js';
import { decodeCursor, encodeCursor, pageLimit } from './page-cursor.js';
import type { IssueRanks } from './status-column.js';

export interface ListedIssues {
  /** By ordinal. */
  readonly issues: readonly IssueState[];
  readonly columns: IssueColumns;
  readonly ranks: IssueRanks;
  readonly merged: MergedIssues;
  /** By ordinal; absent: all match. */
  readonly matches?: ((ordinal: number) => boolean) | undefined;
}

interface Candidate extends SortPosition {
  readonly issue: IssueState;
}

const ISSUES_PER_CLOCK_CHECK = 256;

/** Selects the page for `options` in one pass, in time slices. Rejects with `CURSOR_INVALID`. */
export async function selectIssues(
  { issues, columns, ranks, merged: { hidden, shown }, matches }: ListedIssues,
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
  const order = new IssueOrder(sort, columns, ranks, from?.nowMs ?? ranks.nowMs);
  const after = from?.after;

  // One more than the page shows whether another page follows.
  const top = new TopItems<Candidate>(limit + 1, comparePositions);
  /** Returns the number of matches. Synchronous, because V8 optimizes it much better than a loop with awaits. */
  const visit = (first: number, end: number): number => {
    let matching = 0;
    for (let ordinal = end - 1; ordinal >= first; ordinal -= 1) {
      if ((hidden.size > 0 && hidden.has(ordinal)) || matches?.(ordinal) === false) continue;
      matching += 1;
      // Skips most issues without reading the issue itself.
      if (top.last !== undefined && order.compare(ordinal, top.last) > 0) continue;
      if (after !== undefined && order.compare(ordinal, after) < 0) continue;
      const issue = shown.get(ordinal) ?? issues[ordinal];
      if (issue === undefined) continue;
      const candidate = { ...order.positionOf(ordinal, issue.issueId), issue };
      if (after === undefined || comparePositions(candidate, after) > 0) top.offer(candidate);
    }
    return matching;
  };

  let total = 0;
  const slice = beginTimeSlice();
  // The newest issues are likely first in lists by time; older ones are then skipped early.
  for (let end = columns.length; end > 0; end -= ISSUES_PER_CLOCK_CHECK) {
    if (slice.isOver) await slice.next();
    total += visit(Math.max(0, end - ISSUES_PER_CLOCK_CHECK), end);
  }
  const found = top.items();
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const isLastPage = last === undefined || found.length <= limit;
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
export async function countIssues(
  { columns, ranks, merged, matches }: ListedIssues,
  me: string | undefined,
): Promise<IssueCounts> {
  const name = me?.toLowerCase();
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
  const { statuses } = ranks;
  await inTimeSlices(columns.length, (ordinal) => {
    if ((merged.hidden.size > 0 && merged.hidden.has(ordinal)) || matches?.(ordinal) === false) return;
    const status = statuses.status(ordinal);
    counts.all += 1;
    counts[status] += 1;
    if (status === 'open') {
      if (ranks.isNew(ordinal)) counts.new += 1;
      if (ranks.hasSign(ordinal)) counts.review += 1;
      if (name !== undefined && statuses.assignee(ordinal)?.toLowerCase() === name) counts.mine += 1;
    }
    if (statuses.isRegressed(ordinal)) counts.regressed += 1;
    if (ranks.isSpiking(ordinal)) counts.spiking += 1;
  });
  return counts;
}

/** Counts the values of a field, read by ordinal, in one pass in time slices. */
export async function countValues(
  { columns: { length }, merged, matches }: ListedIssues,
  valueAt: (ordinal: number) => FieldValue,
  { prefix = '', limit }: Pick<FieldValueOptions, 'prefix' | 'limit'>,
): Promise<FieldValues> {
  const counts = new Map<string, number>();
  await inTimeSlices(length, (ordinal) => {
    if (merged.hidden.has(ordinal)) return;
    const value = valueAt(ordinal);
    const found = matches?.(ordinal) === false ? 0 : 1;
    for (const one of typeof value === 'object' ? (value ?? []) : [String(value)]) {
      counts.set(one, (counts.get(one) ?? 0) + found);
    }
  });
  const begin = prefix.toLowerCase();
  const values = [...counts].filter(([value]) => value !== '' && value.toLowerCase().startsWith(begin));
  values.sort(([one, times], [other, otherTimes]) => otherTimes - times || (one < other ? -1 : 1));
  const shown = values.slice(0, pageLimit(limit)).map(([value, count]) => ({ value, count }));
  return { values: shown, total: values.length };
}
