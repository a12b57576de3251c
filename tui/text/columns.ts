import { type Line, type Meaning, type Span, span, words } from './line.js';
import { cutToCells, fitToCells } from './visible.js';

/** One column of a table. */
export interface Column<Row> {
  readonly heading: string;
  /** Width in cells, fixed or computed from the table's width; `rest` is the width that the other columns leave. */
  readonly cells: number | 'rest' | ((width: number) => number);
  /** Minimum width of the table for this column, default 0. */
  readonly from?: number;
  readonly align?: 'right';
  /** May be text from outside: it is neutralised and cut to `cells` here. */
  readonly text: (row: Row, cells: number) => string;
  readonly meaning?: (row: Row) => Meaning;
}

/** The columns that fit a width, with their cells. */
export interface FittedColumns<Row> {
  readonly columns: readonly { readonly column: Column<Row>; readonly cells: number }[];
}

const GUTTER = 1;
const MIN_REST_CELLS = 8;

/** Chooses the columns for a width less `margin` cells. */
export function fitColumns<Row>(columns: readonly Column<Row>[], width: number, margin = 0): FittedColumns<Row> {
  const shown = columns.filter(({ from = 0 }) => width >= from);
  const cellsOfColumn = ({ cells }: Column<Row>): number => {
    if (cells === 'rest') return 0;
    return typeof cells === 'number' ? cells : cells(width);
  };
  const occupied = shown.reduce((sum, column) => sum + cellsOfColumn(column) + GUTTER, margin - GUTTER);
  const rest = Math.max(MIN_REST_CELLS, width - occupied);
  return {
    columns: shown.map((column) => ({ column, cells: column.cells === 'rest' ? rest : cellsOfColumn(column) })),
  };
}

export function headingLine<Row>({ columns }: FittedColumns<Row>): Line {
  const cells = columns.map(({ column, cells }) => fitToCells(column.heading, cells, column.align));
  return [words(cells.join(' ').trimEnd(), 'muted')];
}

/** One row of the table; `rowMeaning` replaces the meanings of all cells: the row is selected or marked. */
export function rowLine<Row>({ columns }: FittedColumns<Row>, row: Row, rowMeaning?: Meaning): Line {
  const line: Span[] = [];
  for (const [index, { column, cells }] of columns.entries()) {
    const isLast = index === columns.length - 1;
    // Trailing blanks are left out, unless they carry the style of a selected row.
    const toCells = isLast && rowMeaning === undefined && column.align === undefined ? cutToCells : fitToCells;
    const meaning: Meaning = rowMeaning ?? column.meaning?.(row) ?? 'plain';
    line.push(span(toCells(column.text(row, cells), cells, column.align), meaning));
    if (!isLast) line.push(words(' ', rowMeaning ?? 'plain'));
  }
  return line;
}

const MARGIN_CELLS = 2;

interface TableLook<Row> {
  readonly cells: number;
  /** Index of the selected row; an index without a row selects nothing. */
  readonly selected: number;
  readonly isMarked?: (row: Row) => boolean;
}

/** A table as lines, headings first. The margin shows selected and marked rows without styles. */
export function tableLines<Row>(rows: readonly Row[], columns: readonly Column<Row>[], look: TableLook<Row>): Line[] {
  const { cells, selected, isMarked = () => false } = look;
  const fitted = fitColumns(columns, cells, MARGIN_CELLS);
  const lines = rows.map((row, index): Line => {
    const isSelected = index === selected;
    const meaning: Meaning | undefined = isSelected ? 'selected' : isMarked(row) ? 'marked' : undefined;
    const margin = (isSelected ? '›' : ' ') + (isMarked(row) ? '*' : ' ');
    return [words(margin, meaning ?? 'plain'), ...rowLine(fitted, row, meaning)];
  });
  return [[words(' '.repeat(MARGIN_CELLS)), ...headingLine(fitted)], ...lines];
}

/** The index of the first visible row that centres the selected one where possible. */
export function firstVisibleIndex(selected: number, { count, rows }: { count: number; rows: number }): number {
  return Math.max(0, Math.min(selected - Math.floor(rows / 2), count - rows));
}
