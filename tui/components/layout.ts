import { overlayLines } from '../overlays/overlay-lines.js';
import type { TerminalState, WindowSize } from '../state/terminal-state.js';

/** The smallest window in which the screens make sense. */
export const MIN_WINDOW: WindowSize = { columns: 60, rows: 10 };

/** Rows that belong to the screen: all but the keys at the bottom, or what lies there instead. */
export function screenRows(state: TerminalState): number {
  const { overlay, size } = state;
  const bottom = overlay === undefined || overlay.kind === 'sheet' ? 1 : overlayLines(overlay, state).length;
  return Math.max(1, size.rows - bottom);
}

/** Rows of a screen's list or text, of which `fixed` rows stand around it; at least 1. */
export function bodyRows(state: TerminalState, fixed: number): number {
  return Math.max(1, screenRows(state) - fixed);
}

/** Whether the window is too small to draw in. */
export function isTooSmall({ columns, rows }: WindowSize): boolean {
  return columns < MIN_WINDOW.columns || rows < MIN_WINDOW.rows;
}
