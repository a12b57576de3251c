import type { ReactElement } from 'react';
import { indexOfSelected } from '../state/list-selection.js';
import type { PagedList, RowKind } from '../state/paged-list.js';
import { type Column, tableLines } from '../text/columns.js';
import type { Line } from '../text/line.js';
import { Lines } from './lines.js';
import { useView } from './use-view.js';

export interface TableProps<Row> {
  list: PagedList<Row>;
  kind: RowKind<Row>;
  columns: readonly Column<Row>[];
  /** Rows of the window below the headings. */
  rows: number;
  /** Ids of marked rows; default: none. */
  marked?: ReadonlySet<string>;
  /** Ids of muted rows; default: none. */
  muted?: ReadonlySet<string>;
  /** Replaces the headings. */
  heading?: Line | undefined;
}

/** The visible rows of a list with headings. */
export function Table<Row>({ list, kind, columns, rows, marked, muted, heading }: TableProps<Row>): ReactElement {
  const { size } = useView();
  const lines = tableLines(list.rows.slice(list.top, list.top + rows), columns, {
    cells: size.columns,
    selected: indexOfSelected(list, kind) - list.top,
    isMarked: (row) => marked?.has(kind.idOf(row)) === true,
    isMuted: (row) => muted?.has(kind.idOf(row)) === true,
  });
  return <Lines lines={heading === undefined ? lines : [heading, ...lines.slice(1)]} rows={rows + 1} />;
}
