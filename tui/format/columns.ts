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
