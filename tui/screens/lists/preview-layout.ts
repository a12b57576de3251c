import { screenRows } from '../../components/layout.js';
import { type TerminalState, withNotice } from '../../state/terminal-state.js';

/** Title bar, tabs, filter and column headings. */
export const ROWS_ABOVE_LIST = 4;
/** Rows of the window from which the preview is shown unless it was hidden. */
const SHOWN_FROM = 30;
const SHARE = 0.45;
/** Rows of the preview in a lower window, if it was asked for. */
const LOW_ROWS = 8;
/** Rows that the list keeps, and the rule with one row of the preview. */
const MIN_LIST_ROWS = 5;
const MIN_ROWS = 2;

/** Divides the window into rows of the list and of the preview below it, its rule included: a list with few issues gives its spare rows to the preview, and an overlay covers the lowest rows. */
export function listAndPreview(state: TerminalState): { list: number; preview: number } {
  const loaded = state.stack[0].list.rows.length;
  const whole = state.size.rows - 1 - ROWS_ABOVE_LIST;
  const room = Math.max(1, screenRows(state) - ROWS_ABOVE_LIST);
  const wanted = Math.min(wantedRows(state), whole - MIN_LIST_ROWS);
  if (loaded === 0 || wanted < MIN_ROWS) return { list: room, preview: 0 };
  const list = Math.min(room, Math.min(Math.max(loaded, 1), whole - wanted));
  return room - list < MIN_ROWS ? { list: room, preview: 0 } : { list, preview: room - list };
}

/** Whether the preview has rows in the window. */
export function isPreviewShown(state: TerminalState): boolean {
  return listAndPreview(state).preview > 0;
}

/** Hides the preview or shows it; the choice is remembered. */
export function togglePreview(
  state: TerminalState,
  { rows }: { readonly rows: readonly unknown[] },
  isShown: (now: TerminalState) => boolean,
): TerminalState {
  const isPreviewOn = !isShown(state);
  const toggled = { ...state, memory: { ...state.memory, isPreviewOn } };
  return isPreviewOn && rows.length > 0 && !isShown(toggled)
    ? withNotice(state, 'The window is too small for the preview.')
    : toggled;
}

/** Whether the preview was asked for, or was not hidden and has room. */
export function isPreviewWanted({ habits, memory }: TerminalState, hasRoom: boolean): boolean {
  // A screen reader would read it again with every move.
  return memory.isPreviewOn ?? (hasRoom && !habits.isForScreenReader);
}

function wantedRows(state: TerminalState): number {
  const { size } = state;
  const isHigh = size.rows >= SHOWN_FROM;
  if (!isPreviewWanted(state, isHigh)) return 0;
  return isHigh ? Math.floor((size.rows - 5) * SHARE) : LOW_ROWS;
}
