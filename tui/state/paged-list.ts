/** How a list identifies and compares its rows. */
export interface RowKind<Row> {
  idOf(row: Row): string;
  /** Whether two versions of a row look the same. */
  isSame(before: Row, after: Row): boolean;
}

export interface RowPage<Row> {
  readonly rows: readonly Row[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** The loaded first pages of a list that changes at its source. The selection is an id, so that new rows do not move it. */
export interface PagedList<Row> {
  readonly rows: readonly Row[];
  /** Cursor of the next page; null at the end of the list. */
  readonly nextCursor: string | null;
  /** Undefined in an empty list. */
  readonly selectedId: string | undefined;
  /** Index of the first visible row. */
  readonly top: number;
  /** False until the user moves; an untouched list may jump to new rows. */
  readonly isTouched: boolean;
  /** Newer rows could not be merged; they are shown after a move to the first row. */
  readonly isBehind: boolean;
}

/** A list before its first page. */
export const EMPTY_LIST: PagedList<never> = {
  rows: [],
  nextCursor: null,
  selectedId: undefined,
  top: 0,
  isTouched: false,
  isBehind: false,
};

/** The cursor of the next page, if less than a window of rows is loaded below the visible ones. */
export function wantedCursor<Row>(list: PagedList<Row>, height: number): string | undefined {
  const isNear = list.top + 2 * height >= list.rows.length;
  return isNear ? (list.nextCursor ?? undefined) : undefined;
}
