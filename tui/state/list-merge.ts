import {
  EMPTY_LIST,
  keepSelectedVisible,
  type PagedList,
  type RowKind,
  type RowPage,
  restoreSelection,
} from './paged-list.js';

/** Replaces all rows by the first page of another source; the selection keeps its id if the page has it. */
export function replaceRows<Row>(
  list: PagedList<Row>,
  kind: RowKind<Row>,
  page: RowPage<Row>,
  height: number,
): PagedList<Row> {
  const kept = page.rows.find((row) => kind.idOf(row) === list.selectedId) ?? page.rows[0];
  const replaced: PagedList<Row> = {
    ...EMPTY_LIST,
    rows: page.rows,
    nextCursor: page.nextCursor,
    selectedId: kept === undefined ? undefined : kind.idOf(kept),
    isTouched: list.isTouched,
  };
  return keepSelectedVisible(replaced, kind, height);
}

/** Merges a fresh first page; loaded rows never move. Without a common row an untouched list starts again, a touched one is behind. */
export function mergeHead<Row>(
  list: PagedList<Row>,
  kind: RowKind<Row>,
  page: RowPage<Row>,
  height: number,
): PagedList<Row> {
  if (isSameHead(list, kind, page)) return list;
  const freshIds = new Set(page.rows.map(kind.idOf));
  if (page.nextCursor === null) {
    return restoreSelection(list, kind, { ...list, ...page, isBehind: false }, height);
  }

  const overlap = list.rows.findLastIndex((row) => freshIds.has(kind.idOf(row)));
  if (overlap === -1) {
    if (list.rows.length === 0 || !list.isTouched) return replaceRows(list, kind, page, height);
    return { ...updateRows(list, kind, page.rows), isBehind: true };
  }
  const older = list.rows.slice(overlap + 1).filter((row) => !freshIds.has(kind.idOf(row)));
  return restoreSelection(
    list,
    kind,
    {
      ...list,
      rows: [...page.rows, ...older],
      nextCursor: older.length === 0 ? page.nextCursor : list.nextCursor,
      isBehind: false,
    },
    height,
  );
}

/** Appends the next page, without rows that are loaded already because they moved. */
export function appendPage<Row>(
  list: PagedList<Row>,
  kind: RowKind<Row>,
  cursor: string,
  page: RowPage<Row>,
): PagedList<Row> {
  if (list.nextCursor !== cursor) return list;
  const loaded = new Set(list.rows.map(kind.idOf));
  const added = page.rows.filter((row) => !loaded.has(kind.idOf(row)));
  return {
    ...list,
    rows: [...list.rows, ...added],
    // A cursor that leads to itself would be read forever.
    nextCursor: page.nextCursor === cursor ? null : page.nextCursor,
  };
}

/** Replaces loaded rows by fresh ones with the same id; other fresh rows are ignored. */
export function updateRows<Row>(list: PagedList<Row>, kind: RowKind<Row>, fresh: readonly Row[]): PagedList<Row> {
  const byId = new Map(fresh.map((row) => [kind.idOf(row), row]));
  let changed = false;
  const rows = list.rows.map((row) => {
    const now = byId.get(kind.idOf(row));
    if (now === undefined || kind.isSame(row, now)) return row;
    changed = true;
    return now;
  });
  return changed ? { ...list, rows } : list;
}

/** Whether a fresh first page changes nothing. */
export function isSameHead<Row>(list: PagedList<Row>, kind: RowKind<Row>, page: RowPage<Row>): boolean {
  if (list.isBehind) return false;
  const isWhole = page.nextCursor === null;
  if (isWhole && page.rows.length !== list.rows.length) return false;
  if (!isWhole && page.rows.length === list.rows.length && list.nextCursor === null) return false;
  return page.rows.every((row, index) => {
    const before = list.rows[index];
    return before !== undefined && kind.idOf(before) === kind.idOf(row) && kind.isSame(before, row);
  });
}

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
