import type { ReactElement } from 'react';
import { type Column, fitColumns, headingLine, rowLine } from '../format/columns.js';
import { type Line, type Meaning, words } from '../format/line.js';
import { useView } from '../hooks/use-view.js';
import type { PagedList, RowKind } from '../state/paged-list.js';
import { Lines } from './lines.js';

export interface TableProps<Row> {
  list: PagedList<Row>;
  kind: RowKind<Row>;
  columns: readonly Column<Row>[];
  /** Rows of the window below the headings. */
  rows: number;
  /** Ids of rows that were chosen for something; default none. */
  marked?: ReadonlySet<string>;
}

const MARGIN_CELLS = 2;

/** A list's window with its headings; only the visible rows are made. The margin tells selected and marked rows also where there are no styles. */
export function Table<Row>({ list, kind, columns, rows, marked }: TableProps<Row>): ReactElement {
  const { size } = useView();
  const fitted = fitColumns(columns, size.columns, MARGIN_CELLS);
  const visible = list.rows.slice(list.top, list.top + rows);
  const lines = visible.map((row, place): Line => {
    const id = kind.idOf(row);
    const isMarked = marked?.has(id) === true;
    const meaning: Meaning | undefined = id === list.selectedId ? 'selected' : isMarked ? 'marked' : undefined;
    const margin = (id === list.selectedId ? '›' : ' ') + (isMarked ? '*' : ' ');
    return [words(margin, meaning ?? 'plain'), ...rowLine(fitted, row, { meaning, above: visible[place - 1] })];
  });
  return <Lines lines={[[words(' '.repeat(MARGIN_CELLS)), ...headingLine(fitted)], ...lines]} rows={rows + 1} />;
}
