import { indexOfSelected, type PagedList, type RowKind } from '../state/paged-list.js';
import { type Column, tableLines } from '../text/columns.js';
import type { Line } from '../text/line.js';

interface ListLook {
  readonly cells: number;
  /** Rows of the window below the headings. */
  readonly rows: number;
  /** Ids of marked rows; default: none. */
  readonly marked?: ReadonlySet<string>;
  /** Ids of muted rows; default: none. */
  readonly muted?: ReadonlySet<string>;
}

/** The headings and the visible rows of a list. */
export function listLines<Row>(
  list: PagedList<Row>,
  kind: RowKind<Row>,
  columns: readonly Column<Row>[],
  { cells, rows, marked, muted }: ListLook,
): Line[] {
  return tableLines(list.rows.slice(list.top, list.top + rows), columns, {
    cells,
    selected: indexOfSelected(list, kind) - list.top,
    isMarked: (row) => marked?.has(kind.idOf(row)) === true,
    isMuted: (row) => muted?.has(kind.idOf(row)) === true,
  });
}
