import { bodyRows } from '../../state/layout.js';
import type { TerminalState } from '../../state/terminal-state.js';

/** Title bar, tabs, filter, column headings. */
const FIXED_ROWS = 4;

/** Rows of the list. */
export function issuesRows(state: TerminalState): number {
  return bodyRows(state, FIXED_ROWS);
}
