import { bodyRows } from '../../state/layout.js';
import type { TerminalState } from '../../state/terminal-state.js';

/** Title bar, query, column headings. */
const FIXED_ROWS = 3;

/** Rows of the list. */
export function eventsRows(state: TerminalState): number {
  return bodyRows(state, FIXED_ROWS);
}
