import type xterm from '@xterm/headless';

/** The visible rows of a screen, without blanks at their ends. */
export function rowsOf(screen: xterm.Terminal): string[] {
  const buffer = screen.buffer.active;
  return Array.from(
    { length: screen.rows },
    (_, index) =>
      buffer
        .getLine(buffer.viewportY + index)
        ?.translateToString(true)
        .trimEnd() ?? '',
  );
}
