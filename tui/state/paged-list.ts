/** What a list has to know of its rows. */
export interface RowKind<Row> {
  idOf(row: Row): string;
  /** Whether a row still has the place in the list's order that it had. */
  isUnmoved(before: Row, after: Row): boolean;
  /** Whether two readings of a row look the same. */
  isSame(before: Row, after: Row): boolean;
}

/** A page as it was read. */
export interface RowPage<Row> {
  readonly rows: readonly Row[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** Where reading may start again in the middle: the page that began at `index` was read with this cursor. */
interface Anchor {
  readonly index: number;
  readonly cursor: string;
}

/**
 * The loaded beginning of a list that is longer elsewhere and changes while it is looked at.
 * The selection is an id; `top` is the index of the first visible row.
 */
export interface PagedList<Row> {
  readonly rows: readonly Row[];
  /** Reads on behind the last loaded row; null at the end of the list. */
  readonly nextCursor: string | null;
  readonly anchors: readonly Anchor[];
  /** Undefined while the list is empty. */
  readonly selectedId: string | undefined;
  readonly top: number;
  /** False until the person moves; such a list may jump to what is new when it can no longer be joined to it. */
  readonly isTouched: boolean;
  /** More rows arrived at the top than could be joined; they are shown after a move to the first row. */
  readonly isBehind: boolean;
}

/** A list of which nothing was read. */
export const EMPTY_LIST: PagedList<never> = {
  rows: [],
  nextCursor: null,
  anchors: [],
  selectedId: undefined,
  top: 0,
  isTouched: false,
  isBehind: false,
};

/** The cursor to read on with, when fewer than a screenful of rows is loaded below the window. */
export function wantedCursor<Row>(list: PagedList<Row>, height: number): string | undefined {
  const isNear = list.top + 2 * height >= list.rows.length;
  return isNear ? (list.nextCursor ?? undefined) : undefined;
}

/** The cursor of the page on which the window begins; undefined on the first page. */
export function visibleCursor<Row>(list: PagedList<Row>): string | undefined {
  return list.anchors.findLast(({ index }) => index <= list.top)?.cursor;
}
