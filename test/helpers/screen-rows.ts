import type xterm from '@xterm/headless';

/** Returns the visible rows of a screen, without trailing blanks. */
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
