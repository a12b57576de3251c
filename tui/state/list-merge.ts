import { keepSelectedVisible, restoreSelection } from './list-selection.js';
import { EMPTY_LIST, type PagedList, type RowKind, type RowPage } from './paged-list.js';

/** Puts the first page of another source in the place of all rows; the selection stays on its id when that is on the page. */
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
 * Joins a fresh reading of the list's beginning to the rows that are loaded. A reading that does not reach
 * any row that kept its place cannot be joined: an untouched list starts anew with it, a touched one is marked as behind.
 */
export function mergeHead<Row>(
  list: PagedList<Row>,
  kind: RowKind<Row>,
  page: RowPage<Row>,
  height: number,
): PagedList<Row> {
  if (isSameHead(list, kind, page)) return list;
  const freshIds = new Set(page.rows.map(kind.idOf));
  if (page.nextCursor === null) return restoreSelection(list, kind, { ...list, ...wholeList(page) }, height);

  const joint = findOverlap(list.rows, kind, page.rows);
  if (joint === undefined) {
    if (list.rows.length === 0 || !list.isTouched) return replaceRows(list, kind, page, height);
    return { ...updateRows(list, kind, page.rows), isBehind: true };
  }
  const older = list.rows.slice(joint + 1).filter((row) => !freshIds.has(kind.idOf(row)));
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

/** Adds the page behind the last loaded row, without the rows that moved up meanwhile and are loaded already. */
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
    // A page that leads to itself would be read for ever.
    nextCursor: page.nextCursor === cursor ? null : page.nextCursor,
    anchors: [...list.anchors, { index: list.rows.length, cursor }],
  };
}

/** Puts fresh readings in the place of loaded rows with the same id, where they stand; others are left out. */
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

function wholeList<Row>(page: RowPage<Row>): Pick<PagedList<Row>, 'rows' | 'nextCursor' | 'anchors' | 'isBehind'> {
  return { rows: page.rows, nextCursor: null, anchors: [], isBehind: false };
}

function isSameHead<Row>(list: PagedList<Row>, kind: RowKind<Row>, page: RowPage<Row>): boolean {
  if (list.isBehind) return false;
  const isWhole = page.nextCursor === null;
  if (isWhole && page.rows.length !== list.rows.length) return false;
  if (!isWhole && page.rows.length === list.rows.length && list.nextCursor === null) return false;
  return page.rows.every((row, place) => {
    const before = list.rows[place];
    return before !== undefined && kind.idOf(before) === kind.idOf(row) && kind.isSame(before, row);
  });
}

/** Index of the loaded row that the fresh page reaches: its last one that kept its place. What lies before it is known anew. */
function findOverlap<Row>(rows: readonly Row[], kind: RowKind<Row>, fresh: readonly Row[]): number | undefined {
  const places = new Map<string, number>();
  const wanted = new Set(fresh.map(kind.idOf));
  for (const [place, row] of rows.entries()) {
    if (wanted.has(kind.idOf(row))) places.set(kind.idOf(row), place);
    if (places.size === wanted.size) break;
  }
  for (const row of fresh.toReversed()) {
    const place = places.get(kind.idOf(row));
    const before = place === undefined ? undefined : rows[place];
    if (place !== undefined && before !== undefined && kind.isUnmoved(before, row)) return place;
  }
  return undefined;
}
