import { Box, Transform } from 'ink';
import type { ReactElement } from 'react';
import { cutLine, type Line } from '../text/line.js';
import { useView } from './use-view.js';

export interface LinesProps {
  lines: readonly Line[];
  /** Height; default: the number of lines. Rows without a line are empty. */
  rows?: number;
}

/** Draws one line per row. Ink sees one character for each; see `terminal/row-canvas.ts`. */
export function Lines({ lines, rows = lines.length }: LinesProps): ReactElement {
  const { size, theme, refer } = useView();
  const draw = (_blank: string, index: number): string => refer(theme.paint(cutLine(lines[index] ?? [], size.columns)));
  return (
    <Box height={rows} flexShrink={0}>
      <Transform transform={draw}>{blankRows(rows)}</Transform>
    </Box>
  );
}

/** Ink neither measures nor draws empty text. */
function blankRows(rows: number): string {
  return Array.from({ length: rows }, () => '.').join('\n');
}
