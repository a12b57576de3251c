import type { ReactElement } from 'react';
import { type Column, fitColumns, headingLine, rowLine } from '../format/columns.js';
import { words } from '../format/line.js';
import { useView } from '../hooks/use-view.js';
import type { PagedList, RowKind } from '../state/paged-list.js';
import { Lines } from './lines.js';

export interface TableProps<Row> {
  list: PagedList<Row>;
  kind: RowKind<Row>;
  columns: readonly Column<Row>[];
  /** Rows of the window below the headings. */
  rows: number;
}

const MARGIN = words('  ');
/** Tells the selected row also where there are no styles. */
const SELECTED_MARGIN = words('› ', 'selected');

/** A list's window with its headings; only the visible rows are made. */
export function Table<Row>({ list, kind, columns, rows }: TableProps<Row>): ReactElement {
  const { size } = useView();
  const fitted = fitColumns(columns, size.columns, MARGIN.text.length);
  const visible = list.rows.slice(list.top, list.top + rows);
  const lines = visible.map((row) => {
    const isSelected = kind.idOf(row) === list.selectedId;
    return [isSelected ? SELECTED_MARGIN : MARGIN, ...rowLine(fitted, row, isSelected)];
  });
  return <Lines lines={[[MARGIN, ...headingLine(fitted)], ...lines]} rows={rows + 1} />;
}
