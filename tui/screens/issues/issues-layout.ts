import { bodyRows } from '../../state/layout.js';
import type { TerminalState } from '../../state/terminal-state.js';

/** Title bar, tabs, filter, column headings. */
export const ROWS_ABOVE_LIST = 4;

/** Rows of the list. */
export function issuesRows(state: TerminalState): number {
  return bodyRows(state, ROWS_ABOVE_LIST);
}
