import { overlayLines } from '../overlays/overlay-lines.js';
import type { TerminalState, WindowSize } from '../state/terminal-state.js';

/** The smallest supported window. */
export const MIN_WINDOW: WindowSize = { columns: 60, rows: 10 };

/** Rows of the screen, without the hints or the overlay at the bottom. */
export function screenRows(state: TerminalState): number {
  const { overlay, size } = state;
  const bottom = overlay === undefined || overlay.kind === 'sheet' ? 1 : overlayLines(overlay, state).length;
  return Math.max(1, size.rows - bottom);
}

/** Rows of a list or text below `fixed` rows; at least 1. */
export function bodyRows(state: TerminalState, fixed: number): number {
  return Math.max(1, screenRows(state) - fixed);
}

/** Whether the window is smaller than MIN_WINDOW. */
export function isTooSmall({ columns, rows }: WindowSize): boolean {
  return columns < MIN_WINDOW.columns || rows < MIN_WINDOW.rows;
}
