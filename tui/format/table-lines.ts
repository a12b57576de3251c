import { type Column, fitColumns, headingLine, rowLine } from './columns.js';
import { type Line, words } from './line.js';

const MARGIN = words('  ');
/** Tells the selected row also where there are no styles. */
const SELECTED_MARGIN = words('› ', 'selected');

/** A table as lines of a width, its headings first, for where it does not take the whole window. */
export function tableLines<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { cells, selected }: { cells: number; selected: number },
): Line[] {
  const fitted = fitColumns(columns, cells, MARGIN.text.length);
  const lines = rows.map((row, place): Line => {
    const isSelected = place === selected;
    return [
      isSelected ? SELECTED_MARGIN : MARGIN,
      ...rowLine(fitted, row, { meaning: isSelected ? 'selected' : undefined }),
    ];
  });
  return [[MARGIN, ...headingLine(fitted)], ...lines];
}

/** The index of the first visible row, so that a selected one is in the middle where it can be. */
export function topAround(selected: number, { count, rows }: { count: number; rows: number }): number {
  return Math.max(0, Math.min(selected - Math.floor(rows / 2), count - rows));
}
