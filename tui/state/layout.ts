import { type Screen, type TerminalState, topScreen, type WindowSize } from './terminal-state.js';

/** The smallest window in which the screens make sense. */
export const MIN_WINDOW: WindowSize = { columns: 60, rows: 10 };

/** Rows of a screen that are not its body: title bar, facts, column headings, key hints. */
const FIXED_ROWS: Readonly<Record<Screen['kind'], number>> = { issues: 4, events: 6, event: 2 };

/** Rows of the visible screen's list or text, at least 1. */
export function bodyRows(state: TerminalState): number {
  const screen = topScreen(state);
  const errorRows = screen.kind === 'issues' && screen.prompt?.error !== undefined ? 1 : 0;
  return Math.max(1, state.size.rows - FIXED_ROWS[screen.kind] - errorRows);
}

/** Whether the window is too small to draw in. */
export function isTooSmall({ columns, rows }: WindowSize): boolean {
  return columns < MIN_WINDOW.columns || rows < MIN_WINDOW.rows;
}
