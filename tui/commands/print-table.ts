import { allowsColour, createTheme, PLAIN_THEME, type Theme, type ThemeOptions } from '../terminal/theme.js';
import { type Column, fitColumns, headingLine, rowLines } from '../text/columns.js';
import { fullCount } from '../text/counts.js';
import type { Line } from '../text/line.js';
import { print, type TextOutput } from './text-output.js';

/** Cells of a table in a pipe if `COLUMNS` does not say. */
const PIPE_COLUMNS = 120;

/** The theme of printed text: coloured on a terminal unless NO_COLOR is set. */
export function outputTheme(output: TextOutput, env: NodeJS.ProcessEnv, linkOf?: ThemeOptions['linkOf']): Theme {
  return output.isTTY === true ? createTheme({ hasColours: allowsColour(env), linkOf }) : PLAIN_THEME;
}

/** Prints lines in the theme of their output; `linkOf` links places, default none. */
export async function printLines(
  output: TextOutput,
  env: NodeJS.ProcessEnv,
  lines: readonly Line[],
  linkOf?: ThemeOptions['linkOf'],
): Promise<void> {
  const theme = outputTheme(output, env, linkOf);
  await print(output, lines.map((line) => `${theme.paint(line)}\n`).join(''));
}

/** The width of printed text: that of the terminal, else `COLUMNS`. */
export function outputColumns(output: TextOutput, env: NodeJS.ProcessEnv): number {
  const wanted = output.isTTY === true ? output.columns : Number(env['COLUMNS']);
  return wanted !== undefined && Number.isInteger(wanted) && wanted > 0 ? wanted : PIPE_COLUMNS;
}

/** Prints a table fitted to its output. `heading` prints the heading row, default true. */
export async function printTable<Row>(
  output: TextOutput,
  env: NodeJS.ProcessEnv,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { heading = true }: { heading?: boolean } = {},
): Promise<void> {
  const fitted = fitColumns(columns, outputColumns(output, env));
  await printLines(output, env, [...(heading ? [headingLine(fitted)] : []), ...rowLines(fitted, rows)]);
}

/** Says that a list has more rows than were printed: `10 of 30 issues; --limit 50 shows more.` */
export function moreWords(printed: number, total: string): string {
  return `${fullCount(printed)} ${total}; --limit ${printed < 50 ? 50 : 2 * printed} shows more.\n`;
}
