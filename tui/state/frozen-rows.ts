import { restoreSelection } from './list-selection.js';
import type { PagedList, RowKind, RowPage } from './paged-list.js';

/** What a fresh first page has at other places than the loaded rows. */
export interface Waiting {
  readonly added: number;
  readonly moved: number;
}

/** Compares a fresh first page with the loaded rows. */
export function waitingIn<Row>(rows: readonly Row[], kind: RowKind<Row>, page: RowPage<Row>): Waiting {
  const places = new Map(rows.map((row, index) => [kind.idOf(row), index]));
  const isLoaded = (row: Row): boolean => places.has(kind.idOf(row));
  // Behind the last loaded row of the page stand rows that came up from below.
  const last = page.nextCursor === null ? -1 : page.rows.findLastIndex(isLoaded);
  const above = last === -1 ? page.rows : page.rows.slice(0, last);
  const known = page.rows.flatMap((row) => places.get(kind.idOf(row)) ?? []);
  return { added: above.filter((row) => !isLoaded(row)).length, moved: known.length - longestRise(known) };
}

/** The length of the longest ascending subsequence: rows outside of it have moved. */
function longestRise(places: readonly number[]): number {
  const ends: number[] = [];
  for (const place of places) {
    const at = ends.findIndex((end) => end >= place);
    ends[at === -1 ? ends.length : at] = place;
  }
  return ends.length;
}

/** Removes rows, and inserts fresh ones behind the row that precedes them in `order`; the selection moves to the row below. */
export function replaceAmong<Row>(
  list: PagedList<Row>,
  kind: RowKind<Row>,
  change: {
    readonly removed: ReadonlySet<string>;
    readonly added: ReadonlySet<string>;
    readonly order: readonly Row[];
  },
  height: number,
): PagedList<Row> {
  const rows = list.rows.filter((row) => !change.removed.has(kind.idOf(row)));
  for (const [index, row] of change.order.entries()) {
    if (!change.added.has(kind.idOf(row)) || rows.some((one) => kind.idOf(one) === kind.idOf(row))) continue;
    const before = change.order[index - 1];
    const place = before === undefined ? -1 : rows.findIndex((one) => kind.idOf(one) === kind.idOf(before));
    rows.splice(place + 1, 0, row);
  }
  return rows.length === list.rows.length ? list : restoreSelection(list, kind, { ...list, rows }, height);
}
