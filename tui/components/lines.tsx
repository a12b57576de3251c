import { Box, Transform } from 'ink';
import type { ReactElement } from 'react';
import { cutLine, type Line } from '../format/line.js';
import { useView } from '../hooks/use-view.js';

export interface LinesProps {
  lines: readonly Line[];
  /** Rows that are taken; default as many as there are lines. Rows without a line are empty. */
  rows?: number;
}

/** Draws lines over the whole width, one per row. Ink only sees a character for each; see `terminal/row-references.ts`. */
export function Lines({ lines, rows = lines.length }: LinesProps): ReactElement {
  const { size, theme, references } = useView();
  const refer = (_blank: string, place: number): string =>
    references.refer(theme.paint(cutLine(lines[place] ?? [], size.columns)));
  return (
    <Box height={rows} flexShrink={0}>
      <Transform transform={refer}>{blankRows(rows)}</Transform>
    </Box>
  );
}

/** Something to lay out: Ink neither measures nor draws empty text. */
function blankRows(rows: number): string {
  return Array.from({ length: rows }, () => '.').join('\n');
}
