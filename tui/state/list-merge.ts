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

/**
 * Merges a fresh first page into the loaded rows. If no row of the page has kept its position, an untouched list starts
 * again with the page, and a touched one is marked as behind.
 */
export function mergeHead<Row>(
  list: PagedList<Row>,
  kind: RowKind<Row>,
  page: RowPage<Row>,
  height: number,
): PagedList<Row> {
  if (isSameHead(list, kind, page)) return list;
  const freshIds = new Set(page.rows.map(kind.idOf));
  if (page.nextCursor === null) {
    return restoreSelection(list, kind, { ...list, ...page, anchors: [], isBehind: false }, height);
  }

  const overlap = findOverlap(list.rows, kind, page.rows);
  if (overlap === undefined) {
    if (list.rows.length === 0 || !list.isTouched) return replaceRows(list, kind, page, height);
    return { ...updateRows(list, kind, page.rows), isBehind: true };
  }
  const older = list.rows.slice(overlap + 1).filter((row) => !freshIds.has(kind.idOf(row)));
  const shift = page.rows.length + older.length - list.rows.length;
  return restoreSelection(
    list,
    kind,
    {
      ...list,
      rows: [...page.rows, ...older],
      nextCursor: older.length === 0 ? page.nextCursor : list.nextCursor,
      anchors:
        older.length === 0
          ? []
          : list.anchors.map(({ index, cursor }) => ({ index: Math.max(0, index + shift), cursor })),
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
    anchors: [...list.anchors, { index: list.rows.length, cursor }],
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

function isSameHead<Row>(list: PagedList<Row>, kind: RowKind<Row>, page: RowPage<Row>): boolean {
  if (list.isBehind) return false;
  const isWhole = page.nextCursor === null;
  if (isWhole && page.rows.length !== list.rows.length) return false;
  if (!isWhole && page.rows.length === list.rows.length && list.nextCursor === null) return false;
  return page.rows.every((row, index) => {
    const before = list.rows[index];
    return before !== undefined && kind.idOf(before) === kind.idOf(row) && kind.isSame(before, row);
  });
}

/** Index of the last loaded row that the fresh page contains at the same sort position; the page replaces all rows before it. */
function findOverlap<Row>(rows: readonly Row[], kind: RowKind<Row>, fresh: readonly Row[]): number | undefined {
  const indexes = new Map<string, number>();
  const wanted = new Set(fresh.map(kind.idOf));
  for (const [index, row] of rows.entries()) {
    if (wanted.has(kind.idOf(row))) indexes.set(kind.idOf(row), index);
    if (indexes.size === wanted.size) break;
  }
  for (const row of fresh.toReversed()) {
    const index = indexes.get(kind.idOf(row));
    const before = index === undefined ? undefined : rows[index];
    if (index !== undefined && before !== undefined && kind.isUnmoved(before, row)) return index;
  }
  return undefined;
}
