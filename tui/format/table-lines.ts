import { type Column, fitColumns, headingLine, rowLine } from './columns.js';
import { type Line, type Meaning, words } from './line.js';

const MARGIN_CELLS = 2;

/** How a table is drawn. */
export interface TableLook<Row> {
  readonly cells: number;
  /** Index of the selected row; one that is none selects nothing. */
  readonly selected: number;
  /** Whether a row was chosen for something; default none. */
  readonly isMarked?: (row: Row) => boolean;
}

/** A table as lines of a width, its headings first. The margin tells selected and marked rows also where there are no styles. */
export function tableLines<Row>(rows: readonly Row[], columns: readonly Column<Row>[], look: TableLook<Row>): Line[] {
  const { cells, selected, isMarked = () => false } = look;
  const fitted = fitColumns(columns, cells, MARGIN_CELLS);
  const lines = rows.map((row, place): Line => {
    const isSelected = place === selected;
    const meaning: Meaning | undefined = isSelected ? 'selected' : isMarked(row) ? 'marked' : undefined;
    const margin = (isSelected ? '›' : ' ') + (isMarked(row) ? '*' : ' ');
    return [words(margin, meaning ?? 'plain'), ...rowLine(fitted, row, { meaning, above: rows[place - 1] })];
  });
  return [[words(' '.repeat(MARGIN_CELLS)), ...headingLine(fitted)], ...lines];
}

/** The index of the first visible row, so that a selected one is in the middle where it can be. */
export function topAround(selected: number, { count, rows }: { count: number; rows: number }): number {
  return Math.max(0, Math.min(selected - Math.floor(rows / 2), count - rows));
}
