import { openHelp } from '../overlays/help.js';
import { pressOnMenu } from '../overlays/menu.js';
import { openPalette } from '../overlays/palette.js';
import { pressOnPrompt } from '../overlays/prompt.js';
import { pressOnQuestion } from '../overlays/question.js';
import { pressOnSheet } from '../overlays/sheet.js';
import { openSources } from '../overlays/sources.js';
import type { Overlay } from '../state/overlay.js';
import { readOnlyReason } from '../state/read-only.js';
import {
  type TerminalState,
  topScreen,
  type WindowSize,
  withEffect,
  withNotice,
  withTop,
} from '../state/terminal-state.js';
import type { KeyInput } from '../terminal/key-parser.js';
import { type Command, commandOf, type KeyScope } from '../terminal/keymap.js';
import type { MouseButton, MouseInput } from '../terminal/mouse-report.js';
import { logicOf } from './screen-table.js';

const ROWS_PER_TURN = 3;
const WHEEL: Readonly<Partial<Record<MouseButton, Command>>> = { wheel_up: 'up', wheel_down: 'down' };

/** The state after a key: pure, so that keys typed ahead of the screen act on what they will find there. */
export function press(state: TerminalState, input: KeyInput): TerminalState {
  if (input.kind === 'key' && input.key === 'ctrl-c') return { ...state, isOver: true };
  const heard = state.notice === undefined ? state : { ...state, notice: undefined };
  if (heard.overlay !== undefined) return refit(pressOnOverlay(heard, heard.overlay, input), state);
  if (input.kind === 'mouse') return refit(pressMouse(heard, input), state);
  const command = commandOf(heard.keymap, input, keyScopeOf(heard), mayAct(heard));
  if (command !== undefined) return refit(runCommand(heard, command), state);
  const isAction = !mayAct(heard) && commandOf(heard.keymap, input, keyScopeOf(heard), true) !== undefined;
  return isAction ? withNotice(heard, readOnlyReason(heard)) : heard;
}

/** The state in a window of another size: selections stay visible, texts stay at the words that were at the top. */
export function resize(state: TerminalState, size: WindowSize): TerminalState {
  return fitted({ ...state, size }, state);
}

/** Where the keys of the visible screen work. */
export function keyScopeOf(state: TerminalState): KeyScope {
  return logicOf(topScreen(state)).place;
}

/** Whether actions are offered: not before it is known that the collector takes them. */
export function mayAct(state: TerminalState): boolean {
  return state.access?.actions === true;
}

/** The state after a command from a key, the palette or the mouse. */
function runCommand(state: TerminalState, command: Command): TerminalState {
  switch (command) {
    case 'help':
      return { ...state, overlay: openHelp(state, keyScopeOf(state), mayAct(state)) };
    case 'palette':
      return { ...state, overlay: openPalette(state, keyScopeOf(state), mayAct(state), runCommand) };
    case 'sources':
      return openSources(state);
    case 'time_zone':
      return otherTimeZone(state);
    case 'mouse':
      return toggledMouse(state);
    case 'quit':
      return { ...state, isOver: true };
    // The terminal itself answers these; see `terminal/`.
    case 'redraw':
    case 'suspend':
      return state;
    default:
      return logicOf(topScreen(state)).run(state, command);
  }
}

/** A turn of the wheel moves by three rows; a press selects, and opens what was selected. */
function pressMouse(state: TerminalState, { button, row, isPress }: MouseInput): TerminalState {
  if (!isPress) return state;
  if (button === 'left') return logicOf(topScreen(state)).click(state, row);
  const command = WHEEL[button];
  if (command === undefined) return state;
  return Array.from({ length: ROWS_PER_TURN }).reduce<TerminalState>((now) => runCommand(now, command), state);
}

function otherTimeZone(state: TerminalState): TerminalState {
  const time = state.habits.time === 'utc' ? 'local' : 'utc';
  const said = time === 'utc' ? 'Times are UTC.' : 'Times are local; the record has UTC.';
  return withNotice({ ...state, habits: { ...state.habits, time }, memory: { ...state.memory, time } }, said);
}

function toggledMouse(state: TerminalState): TerminalState {
  const mouse = !state.habits.mouse;
  const said = mouse ? 'Mouse on: Shift and the mouse select text.' : 'Mouse off.';
  const memory = { ...state.memory, isMouseOn: mouse };
  return withEffect(withNotice({ ...state, habits: { ...state.habits, mouse }, memory }, said), {
    perform: async ({ setMouse }) => {
      setMouse(mouse);
      return (now) => now;
    },
  });
}

/** What lies at the bottom may have grown, and what was covered may be seen again. */
function refit(state: TerminalState, before: TerminalState): TerminalState {
  const isSame = state.overlay === before.overlay && state.stack.length === before.stack.length;
  return isSame ? state : fitted(state, before);
}

function fitted(state: TerminalState, before: TerminalState): TerminalState {
  return withTop(state, logicOf(topScreen(state)).fit(state, before));
}

/** The state after a key that went to what lies over the screen. */
function pressOnOverlay(state: TerminalState, overlay: Overlay<TerminalState>, input: KeyInput): TerminalState {
  switch (overlay.kind) {
    case 'prompt':
      return pressOnPrompt(state, overlay, input);
    case 'menu':
      return pressOnMenu(state, overlay, input);
    case 'question':
      return pressOnQuestion(state, overlay, input);
    case 'sheet':
      return pressOnSheet(state, overlay, input);
  }
}
