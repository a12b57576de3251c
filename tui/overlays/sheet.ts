import type { Sheet } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import type { KeyInput } from '../terminal/key-parser.js';

/** The title and the last row. */
const FIXED_ROWS = 2;

/** Rows by which keys scroll; the parameter is the height of the window. */
const STEPS: Readonly<Record<string, (rows: number) => number>> = {
  down: () => 1,
  j: () => 1,
  up: () => -1,
  k: () => -1,
  pagedown: (rows) => rows - 1,
  ' ': (rows) => rows - 1,
  pageup: (rows) => 1 - rows,
  'ctrl-d': (rows) => Math.floor(rows / 2),
  'ctrl-u': (rows) => -Math.floor(rows / 2),
  home: () => -Number.MAX_SAFE_INTEGER,
  g: () => -Number.MAX_SAFE_INTEGER,
  end: () => Number.MAX_SAFE_INTEGER,
  G: () => Number.MAX_SAFE_INTEGER,
};

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
  const rows = sheetRows(state);
  const step = STEPS[key]?.(rows);
  if (step === undefined) return { ...state, overlay: sheet.under };
  const top = Math.max(0, Math.min(sheet.top + step, sheet.lines.length - rows));
  return top === sheet.top ? state : { ...state, overlay: { ...sheet, top } };
}
