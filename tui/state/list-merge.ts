import { keepSelectedVisible, restoreSelection } from './list-selection.js';
import { EMPTY_LIST, type PagedList, type RowKind, type RowPage } from './paged-list.js';

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
