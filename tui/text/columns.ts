import { type Line, type Meaning, type Span, span, words } from './line.js';
import { cutToCells, fitToCells } from './visible.js';

/** One column of a table. */
export interface Column<Row> {
  readonly heading: string;
  /** Cells, also by the table's width; `rest` takes what the others leave. */
  readonly cells: number | 'rest' | ((width: number) => number);
  /** The table's width from which the column is shown; default always. */
  readonly from?: number;
  readonly align?: 'right';
  /** May be text from outside: it is neutralised and cut here. `cells` are those that it got. */
  readonly text: (row: Row, cells: number) => string;
  /** Whether a row belongs to the group of the row above: then its cell stays empty. Absent: every row tells its own. */
  readonly isOfGroup?: (row: Row, above: Row) => boolean;
  readonly meaning?: (row: Row) => Meaning;
}

/** The columns that a width has room for, with their cells. */
export interface FittedColumns<Row> {
  readonly columns: readonly { readonly column: Column<Row>; readonly cells: number }[];
}

const GUTTER = 1;
const MIN_REST_CELLS = 8;

/** Chooses the columns for a width, of which `margin` cells are left free. */
export function fitColumns<Row>(columns: readonly Column<Row>[], width: number, margin = 0): FittedColumns<Row> {
  const shown = columns.filter(({ from = 0 }) => width >= from);
  const cellsOfColumn = ({ cells }: Column<Row>): number => {
    if (cells === 'rest') return 0;
    return typeof cells === 'number' ? cells : cells(width);
  };
  const taken = shown.reduce((sum, column) => sum + cellsOfColumn(column) + GUTTER, margin - GUTTER);
  const rest = Math.max(MIN_REST_CELLS, width - taken);
  return {
    columns: shown.map((column) => ({ column, cells: column.cells === 'rest' ? rest : cellsOfColumn(column) })),
  };
}

/** The row of headings. */
export function headingLine<Row>({ columns }: FittedColumns<Row>): Line {
  const cells = columns.map(({ column, cells }) => fitToCells(column.heading, cells, column.align));
  return [words(cells.join(' ').trimEnd(), 'muted')];
}

/** How a row is drawn. */
export interface RowLook<Row> {
  /** Of the whole row, whatever its cells mean: it is selected, or marked. */
  readonly meaning?: Meaning | undefined;
  /** The visible row above it. */
  readonly above?: Row | undefined;
}

/** One row of the table; a selected one has one meaning over its whole width. */
export function rowLine<Row>({ columns }: FittedColumns<Row>, row: Row, look: RowLook<Row> = {}): Line {
  const line: Span[] = [];
  for (const [place, { column, cells }] of columns.entries()) {
    const isLast = place === columns.length - 1;
    // Blanks at the end of a row say nothing, unless they are part of the mark.
    const toCells = isLast && look.meaning === undefined && column.align === undefined ? cutToCells : fitToCells;
    const meaning: Meaning = look.meaning ?? column.meaning?.(row) ?? 'plain';
    line.push(span(toCells(cellText(column, row, cells, look.above), cells, column.align), meaning));
    if (!isLast) line.push(words(' ', look.meaning ?? 'plain'));
  }
  return line;
}

function cellText<Row>(column: Column<Row>, row: Row, cells: number, above: Row | undefined): string {
  return above !== undefined && column.isOfGroup?.(row, above) === true ? '' : column.text(row, cells);
}

const MARGIN_CELLS = 2;

/** How a table is drawn. */
interface TableLook<Row> {
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
