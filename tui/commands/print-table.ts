import { allowsColour, createTheme, PLAIN_THEME, type Theme } from '../terminal/theme.js';
import { type Column, fitColumns, headingLine, rowLine } from '../text/columns.js';
import { print, type TextOutput } from './text-output.js';

/** Cells of a table in a pipe: wide enough for the longest title and message. */
const PIPE_COLUMNS = 2_000;

/** The theme of printed text: coloured on a terminal unless NO_COLOR is set. */
export function outputTheme(output: TextOutput, env: NodeJS.ProcessEnv): Theme {
  return output.isTTY === true ? createTheme({ hasColours: allowsColour(env) }) : PLAIN_THEME;
}

/** Prints a table: fitted to a terminal, in full width into a pipe. `heading` prints the heading row, default true. */
export async function printTable<Row>(
  output: TextOutput,
  env: NodeJS.ProcessEnv,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { heading = true }: { heading?: boolean } = {},
): Promise<void> {
  const theme = outputTheme(output, env);
  // The column that fills the rest is last, so that it needs no padding.
  const ordered = [
    ...columns.filter(({ cells }) => cells !== 'rest'),
    ...columns.filter(({ cells }) => cells === 'rest'),
  ];
  const fitted = fitColumns(ordered, output.isTTY === true ? (output.columns ?? PIPE_COLUMNS) : PIPE_COLUMNS);
  const lines = [...(heading ? [headingLine(fitted)] : []), ...rows.map((row) => rowLine(fitted, row))];
  await print(output, lines.map((line) => `${theme.paint(line)}\n`).join(''));
}
