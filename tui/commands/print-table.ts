import { allowsColour, createTheme, PLAIN_THEME } from '../terminal/theme.js';
import { type Column, fitColumns, headingLine, rowLine } from '../text/columns.js';
import { print, type TextOutput } from './text-output.js';

/** Cells of a table that goes into a pipe: wide enough for the longest title and message. */
const PIPE_COLUMNS = 2_000;

/** Prints a table: fitted to a terminal and coloured there unless NO_COLOR is set; into a pipe in full width without styles. `heading` false leaves the row of headings away, default true. */
export async function printTable<Row>(
  output: TextOutput,
  env: NodeJS.ProcessEnv,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { heading = true }: { heading?: boolean } = {},
): Promise<void> {
  const isTerminal = output.isTTY === true;
  const theme = isTerminal ? createTheme({ depth: allowsColour(env) ? 16 : 0 }) : PLAIN_THEME;
  // The column that takes the rest stands last, where it needs no blanks behind it.
  const ordered = [
    ...columns.filter(({ cells }) => cells !== 'rest'),
    ...columns.filter(({ cells }) => cells === 'rest'),
  ];
  const fitted = fitColumns(ordered, isTerminal ? (output.columns ?? PIPE_COLUMNS) : PIPE_COLUMNS);
  const lines = [...(heading ? [headingLine(fitted)] : []), ...rows.map((row) => rowLine(fitted, row))];
  await print(output, lines.map((line) => `${theme.paint(line)}\n`).join(''));
}
