import { keepSelectedVisible, type PagedList, type RowPage, restoreSelection } from './paged-list.js';

/** Replaces all rows by the first page of another source; the selection keeps its id if the page has it. */
export function replaceRows<Row>(list: PagedList<Row>, page: RowPage<Row>, height: number): PagedList<Row> {
  const kept = page.rows.find((row) => list.kind.idOf(row) === list.selectedId) ?? page.rows[0];
  const selectedId = kept === undefined ? undefined : list.kind.idOf(kept);
  return keepSelectedVisible({ ...list, ...page, selectedId, top: 0, isBehind: false }, height);
}

/** Merges a fresh first page; loaded rows never move. Without a common row an untouched list starts again, a touched one is behind. */
export function mergeHead<Row>(list: PagedList<Row>, page: RowPage<Row>, height: number): PagedList<Row> {
  if (isSameHead(list, page)) return list;
  const freshIds = new Set(page.rows.map(list.kind.idOf));
  if (page.nextCursor === null) {
    return restoreSelection(list, { ...list, ...page, isBehind: false }, height);
  }

  const overlap = list.rows.findLastIndex((row) => freshIds.has(list.kind.idOf(row)));
  if (overlap === -1) {
    if (list.rows.length === 0 || !list.isTouched) return replaceRows(list, page, height);
    return { ...updateRows(list, page.rows), isBehind: true };
  }
  const older = list.rows.slice(overlap + 1).filter((row) => !freshIds.has(list.kind.idOf(row)));
  const rows = [...page.rows, ...older];
  const { nextCursor } = older.length === 0 ? page : list;
  return restoreSelection(list, { ...list, rows, nextCursor, isBehind: false }, height);
}

/** Appends the next page, without rows that are loaded already because they moved; selects the first row if none was there. */
export function appendPage<Row>(list: PagedList<Row>, cursor: string, page: RowPage<Row>): PagedList<Row> {
  if (list.nextCursor !== cursor) return list;
  const loaded = new Set(list.rows.map(list.kind.idOf));
  const rows = [...list.rows, ...page.rows.filter((row) => !loaded.has(list.kind.idOf(row)))];
  return {
    ...list,
    rows,
    selectedId: list.selectedId ?? rows.slice(0, 1).map(list.kind.idOf)[0],
    // A cursor that leads to itself would be read forever.
    nextCursor: page.nextCursor === cursor ? null : page.nextCursor,
  };
}

/** Replaces loaded rows by fresh ones with the same id; other fresh rows are ignored. */
export function updateRows<Row>(list: PagedList<Row>, fresh: readonly Row[]): PagedList<Row> {
  const byId = new Map(fresh.map((row) => [list.kind.idOf(row), row]));
  let changed = false;
  const rows = list.rows.map((row) => {
    const now = byId.get(list.kind.idOf(row));
    if (now === undefined || list.kind.isSame(row, now)) return row;
    changed = true;
    return now;
  });
  return changed ? { ...list, rows } : list;
}

/** Whether a fresh first page changes nothing. */
export function isSameHead<Row>(list: PagedList<Row>, page: RowPage<Row>): boolean {
  if (list.isBehind) return false;
  const isWhole = page.nextCursor === null;
  if (isWhole && page.rows.length !== list.rows.length) return false;
  if (!isWhole && page.rows.length === list.rows.length && list.nextCursor === null) return false;
  return page.rows.every((row, index) => {
    const before = list.rows[index];
    return before !== undefined && list.kind.idOf(before) === list.kind.idOf(row) && list.kind.isSame(before, row);
  });
}

/** What a fresh first page has at other places than the loaded rows. */
export interface Waiting {
  readonly added: number;
  readonly moved: number;
}

/** Compares a fresh first page with the loaded rows. */
export function waitingIn<Row>(list: PagedList<Row>, page: RowPage<Row>): Waiting {
  const places = new Map(list.rows.map((row, index) => [list.kind.idOf(row), index]));
  const isLoaded = (row: Row): boolean => places.has(list.kind.idOf(row));
  // Behind the last loaded row of the page stand rows that came up from below.
  const last = page.nextCursor === null ? -1 : page.rows.findLastIndex(isLoaded);
  const above = last === -1 ? page.rows : page.rows.slice(0, last);
  const known = page.rows.flatMap((row) => places.get(list.kind.idOf(row)) ?? []);
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
  change: {
    readonly removed: ReadonlySet<string>;
    readonly added: ReadonlySet<string>;
    readonly order: readonly Row[];
  },
  height: number,
): PagedList<Row> {
  const rows = list.rows.filter((row) => !change.removed.has(list.kind.idOf(row)));
  for (const [index, row] of change.order.entries()) {
    if (!change.added.has(list.kind.idOf(row)) || rows.some((one) => list.kind.idOf(one) === list.kind.idOf(row)))
      continue;
    const before = change.order[index - 1];
    const place = before === undefined ? -1 : rows.findIndex((one) => list.kind.idOf(one) === list.kind.idOf(before));
    rows.splice(place + 1, 0, row);
  }
  return rows.length === list.rows.length ? list : restoreSelection(list, { ...list, rows }, height);
}
