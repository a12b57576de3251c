import { firstVisibleIndex } from './columns.js';
import type { Line } from './line.js';

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
