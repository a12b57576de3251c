import { Box, Transform } from 'ink';
import type { ReactElement } from 'react';
import { cutLine, type Line } from '../text/line.js';
import { useView } from './use-view.js';

export interface LinesProps {
  lines: readonly Line[];
  /** Rows that are taken; default as many as there are lines. Rows without a line are empty. */
  rows?: number;
}

/** Draws lines over the whole width, one per row. Ink only sees a character for each; see `terminal/row-canvas.ts`. */
export function Lines({ lines, rows = lines.length }: LinesProps): ReactElement {
  const { size, theme, refer } = useView();
  const draw = (_blank: string, place: number): string => refer(theme.paint(cutLine(lines[place] ?? [], size.columns)));
  return (
    <Box height={rows} flexShrink={0}>
      <Transform transform={draw}>{blankRows(rows)}</Transform>
    </Box>
  );
}

/** Something to lay out: Ink neither measures nor draws empty text. */
function blankRows(rows: number): string {
  return Array.from({ length: rows }, () => '.').join('\n');
}
