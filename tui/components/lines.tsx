import { Box, Transform } from 'ink';
import type { ReactElement } from 'react';
import type { Theme } from '../terminal/theme.js';
import { cutLine, type Line } from '../text/line.js';

export interface LinesProps {
  lines: readonly Line[];
  /** Width of the window. */
  columns: number;
  theme: Theme;
  /** Registers a painted row and returns the character that stands for it in Ink; see `terminal/row-canvas.ts`. */
  refer: (row: string) => string;
}

/** Draws one line per row. Ink sees one character for each. */
export function Lines({ lines, columns, theme, refer }: LinesProps): ReactElement {
  const draw = (_blank: string, index: number): string => refer(theme.paint(cutLine(lines[index] ?? [], columns)));
  // Ink neither measures nor draws empty text.
  const blankRows = lines.map(() => '.').join('\n');
  return (
    <Box height={lines.length} flexShrink={0}>
      <Transform transform={draw}>{blankRows}</Transform>
    </Box>
  );
}
