import { bodyRows } from '../../components/layout.js';
import type { EventPane } from '../../state/event-state.js';
import type { PagerView } from '../../state/pager.js';
import type { TerminalState } from '../../state/terminal-state.js';

/** Cells before each row of the detail view. */
export const MARGIN_CELLS = 2;
/** Columns from which stack and related events stand beside the detail view, and its own cells then. */
const WIDE_FROM = 140;
const WIDE_CELLS = 98;
/** Title bar and tabs. */
const FIXED_ROWS = 2;
/** The compared events. */
const DIFF_HEAD_ROWS = 2;

/** Rows of a pane's text or list. */
export function paneRows(state: TerminalState, pane: EventPane): number {
  return bodyRows(state, pane === 'diff' ? FIXED_ROWS + DIFF_HEAD_ROWS : FIXED_ROWS);
}

/** The window of the detail view; in wide windows the rest is for what stands beside it. */
export function detailWindow(state: TerminalState): PagerView {
  const { size, habits } = state;
  const isWide = size.columns >= WIDE_FROM && !habits.isForScreenReader;
  return { columns: isWide ? WIDE_CELLS : size.columns - MARGIN_CELLS, rows: paneRows(state, 'detail') };
}
