import { cutLine, type Line, lineCells, type Meaning, span, words } from './line.js';
import { cutToCells, fitToCells } from './visible.js';

/** One column of a table. */
export type Column<Row> = ColumnFrame & (TextCells<Row> | LineCells<Row>);

interface ColumnFrame {
  readonly heading: string;
  /** Width in cells, fixed or computed from the table's width; `rest` is the width that the other columns leave. */
  readonly cells: number | 'rest' | ((width: number) => number);
  /** Minimum width of the table for this column, default 0. */
  readonly from?: number;
  readonly align?: 'right';
}

interface TextCells<Row> {
  /** May be text from outside: it is neutralised and cut to `cells` here. */
  readonly text: (row: Row, cells: number) => string;
  readonly meaning?: (row: Row) => Meaning;
}

/** Cells that depend on the other rows of the window; one line for each row, at most `cells` wide. */
interface LineCells<Row> {
  readonly lines: (rows: readonly Row[], cells: number) => readonly Line[];
}

/** The columns that fit a width, with their cells. */
export type FittedColumns<Row> = readonly { readonly column: Column<Row>; readonly cells: number }[];

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
  return shown.map((column) => ({ column, cells: column.cells === 'rest' ? rest : cellsOfColumn(column) }));
}

export function headingLine<Row>(columns: FittedColumns<Row>): Line {
  const cells = columns.map(({ column, cells }) => fitToCells(column.heading, cells, column.align));
  return [words(cells.join(' ').trimEnd(), 'muted')];
}

/** The rows of the table; `meaningOf` replaces the meanings of all cells of a row: it is selected or marked. */
export function rowLines<Row>(
  columns: FittedColumns<Row>,
  rows: readonly Row[],
  meaningOf: (row: Row, index: number) => Meaning | undefined = () => undefined,
): Line[] {
  const drawn = columns.map(({ column, cells }) => cellLines(column, cells, rows));
  return rows.map((row, index) => {
    const meaning = meaningOf(row, index);
    const line = columns.flatMap(({ column, cells }, at): Line => {
      const isLast = at === columns.length - 1;
      const cell = cutLine(drawn[at]?.[index] ?? [], cells);
      // Trailing blanks are left out, unless they carry the style of a selected row.
      const isOpen = isLast && meaning === undefined && column.align === undefined;
      const blanks = [words(' '.repeat(isOpen ? 0 : Math.max(0, cells - lineCells(cell))))];
      const filled = column.align === 'right' ? [...blanks, ...cell] : [...cell, ...blanks];
      return isLast ? filled : [...filled, words(' ')];
    });
    return meaning === undefined ? line : line.map(({ text }) => span(text, meaning));
  });
}

function cellLines<Row>(column: Column<Row>, cells: number, rows: readonly Row[]): readonly Line[] {
  if ('lines' in column) return column.lines(rows, cells);
  const { text, meaning } = column;
  return rows.map((row) => [span(cutToCells(text(row, cells), cells), meaning?.(row) ?? 'plain')]);
}

const MARGIN_CELLS = 2;

interface TableLook<Row> {
  readonly cells: number;
  /** Index of the selected row; an index without a row selects nothing. */
  readonly selected: number;
  readonly isMarked?: (row: Row) => boolean;
  readonly isMuted?: (row: Row) => boolean;
}

/** A table as lines, headings first. The margin shows selected and marked rows without styles. */
export function tableLines<Row>(rows: readonly Row[], columns: readonly Column<Row>[], look: TableLook<Row>): Line[] {
  const { cells, selected, isMarked = () => false, isMuted = () => false } = look;
  const fitted = fitColumns(columns, cells, MARGIN_CELLS);
  const meaningOf = (row: Row, index: number): Meaning | undefined => {
    if (index === selected) return 'selected';
    if (isMarked(row)) return 'marked';
    return isMuted(row) ? 'muted' : undefined;
  };
  const lines = rowLines(fitted, rows, meaningOf).map((line, index): Line => {
    const row = rows[index];
    if (row === undefined) return line;
    const margin = (index === selected ? '›' : ' ') + (isMarked(row) ? '*' : ' ');
    return [words(margin, meaningOf(row, index) ?? 'plain'), ...line];
  });
  return [[words(' '.repeat(MARGIN_CELLS)), ...headingLine(fitted)], ...lines];
}

/** The index of the first visible row that centres the selected one where possible. */
export function firstVisibleIndex(selected: number, { count, rows }: { count: number; rows: number }): number {
  return Math.max(0, Math.min(selected - Math.floor(rows / 2), count - rows));
}

/** Rows of a table below the lines of their group. */
interface RowGroup {
  readonly head: readonly Line[];
  /** Number of its rows. */
  readonly rows: number;
}

/** The groups of a table, separated by blank lines and cut to `rows` around the selected row. */
export function groupedLines(
  groups: readonly RowGroup[],
  table: readonly Line[],
  { selected, rows }: { selected: number; rows: number },
): readonly Line[] {
  let end = 0;
  const lines = groups.flatMap(({ head, rows: length }) => {
    end += length;
    return [...head, ...table.slice(end - length, end), []];
  });
  // The head of the first row stays visible.
  const cursor = selected === 0 ? 0 : lines.indexOf(table[selected] ?? []);
  const top = firstVisibleIndex(cursor, { count: lines.length, rows });
  return lines.slice(top, top + rows);
}
