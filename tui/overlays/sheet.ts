import { isMove, moveIndex } from '../state/moves.js';
import type { Sheet } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import type { KeyInput } from '../terminal/key-parser.js';
import { commandOf, DEFAULT_KEYMAP } from '../terminal/keymap.js';

/** The title and the last row. */
const FIXED_ROWS = 2;

/** A sheet scrolls by the built-in keys of a text, whatever the preferences say. */
const TEXT_SCOPE = { screen: 'event', pane: 'detail' } as const;

/** Rows of a sheet's text. */
export function sheetRows(state: TerminalState): number {
  return Math.max(1, state.size.rows - FIXED_ROWS);
}

/** Handles a key: actions run, moves scroll, `q` quits, every other key closes the sheet. */
export function pressOnSheet(state: TerminalState, sheet: Sheet<TerminalState>, input: KeyInput): TerminalState {
  if (input.kind === 'paste' || input.kind === 'mouse') return state;
  const key = input.kind === 'key' ? input.key : input.character;
  if (key === 'q') return { ...state, isOver: true };
  const action = sheet.actions?.find((one) => one.key === key);
  if (action !== undefined) return action.run({ ...state, overlay: undefined });
  const move = commandOf(DEFAULT_KEYMAP, input, TEXT_SCOPE, false);
  if (move === undefined || !isMove(move)) return { ...state, overlay: sheet.under };
  const rows = sheetRows(state);
  const top = moveIndex(sheet.top, move, { last: sheet.lines.length - rows, rows });
  return top === sheet.top ? state : { ...state, overlay: { ...sheet, top } };
}
