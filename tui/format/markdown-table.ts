import { markdownCell } from './markdown-text.js';

/** A table whose cells may be text from outside, each cut to `maxCell` UTF-16 units, default 300; headings are words of our own. Ended by a newline. */
export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  maxCell?: number,
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const body = rows.map((cells) => line(cells.map((cell) => markdownCell(cell, maxCell))));
  return line(headings) + line(headings.map(() => '---')) + body.join('');
}
