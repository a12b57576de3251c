import { openHelp } from '../overlays/help.js';
import { openPalette, pressOnMenu } from '../overlays/menu.js';
import { pressOnPrompt } from '../overlays/prompt.js';
import { pressOnQuestion } from '../overlays/question.js';
import { pressOnSheet } from '../overlays/sheet.js';
import { openSuggestions } from '../overlays/suggestions.js';
import type { Overlay } from '../state/overlay.js';
import { mayAct, readOnlyReason } from '../state/read-only.js';
import { openStatus } from '../state/status-state.js';
import {
  pushScreen,
  type TerminalState,
  topScreen,
  type WindowSize,
  withEffect,
  withNotice,
  withTop,
} from '../state/terminal-state.js';
import type { KeyInput, MouseButton, MouseInput } from '../terminal/key-parser.js';
import { type Command, commandOf, type KeyScope } from '../terminal/keymap.js';
import { logicOf } from './screen-table.js';

const ROWS_PER_TURN = 3;
const WHEEL: Readonly<Partial<Record<MouseButton, Command>>> = { wheel_up: 'up', wheel_down: 'down' };

/** Handles a key. Pure, so that keys typed ahead act on the state they will find. */
export function press(state: TerminalState, input: KeyInput): TerminalState {
  if (input.kind === 'key' && input.key === 'ctrl-c') return { ...state, isOver: true };
  const cleared = state.notice === undefined ? state : { ...state, notice: undefined };
  if (cleared.overlay !== undefined) return refit(pressOnOverlay(cleared, cleared.overlay, input), state);
  if (input.kind === 'mouse') return refit(pressMouse(cleared, input), state);
  const command = commandOf(cleared.keymap, input, keyScopeOf(cleared), mayAct(cleared));
  if (command !== undefined) return refit(runCommand(cleared, command), state);
  const isAction = !mayAct(cleared) && commandOf(cleared.keymap, input, keyScopeOf(cleared), true) !== undefined;
  return isAction ? withNotice(cleared, readOnlyReason(cleared)) : cleared;
}

/** Adapts the state to a new window size; selections stay visible, and texts keep their first row. */
export function resize(state: TerminalState, size: WindowSize): TerminalState {
  return fitted({ ...state, size }, state);
}

/** The key scope of the visible screen. */
export function keyScopeOf(state: TerminalState): KeyScope {
  return logicOf(topScreen(state)).keyScope;
}

function runCommand(state: TerminalState, command: Command): TerminalState {
  switch (command) {
    case 'help':
      return { ...state, overlay: openHelp(state, keyScopeOf(state), mayAct(state)) };
    case 'palette':
      return { ...state, overlay: openPalette(state, keyScopeOf(state), mayAct(state), runCommand) };
    case 'sources':
      return topScreen(state).kind === 'status' ? state : pushScreen(state, openStatus);
    case 'suggestions':
      return openSuggestions(state);
    case 'time_zone':
      return otherTimeZone(state);
    case 'mouse':
      return toggledMouse(state);
    case 'quit':
      return { ...state, isOver: true };
    // The command that opens the terminal handles these.
    case 'redraw':
    case 'suspend':
      return state;
    default:
      return logicOf(topScreen(state)).run(state, command);
  }
}

/** The wheel scrolls by three rows; a press selects a row, and opens it if it was selected. */
function pressMouse(state: TerminalState, { button, row, isPress }: MouseInput): TerminalState {
  if (!isPress) return state;
  if (button === 'left') return logicOf(topScreen(state)).click(state, row);
  const command = WHEEL[button];
  if (command === undefined) return state;
  return Array.from({ length: ROWS_PER_TURN }).reduce<TerminalState>((now) => runCommand(now, command), state);
}

function otherTimeZone(state: TerminalState): TerminalState {
  const time = state.habits.time === 'utc' ? 'local' : 'utc';
  const notice = time === 'utc' ? 'Times are UTC.' : 'Times are local.';
  return withNotice({ ...state, habits: { ...state.habits, time }, memory: { ...state.memory, time } }, notice);
}

function toggledMouse(state: TerminalState): TerminalState {
  const mouse = !state.habits.mouse;
  const notice = mouse ? 'Mouse on. Hold Shift to select text.' : 'Mouse off.';
  const memory = { ...state.memory, mouse };
  return withEffect(withNotice({ ...state, habits: { ...state.habits, mouse }, memory }, notice), {
    perform: async ({ setMouse }) => {
      setMouse(mouse);
      return (now) => now;
    },
  });
}

function refit(state: TerminalState, before: TerminalState): TerminalState {
  const isSame = state.overlay === before.overlay && state.stack.length === before.stack.length;
  return isSame ? state : fitted(state, before);
}

function fitted(state: TerminalState, before: TerminalState): TerminalState {
  return withTop(state, logicOf(topScreen(state)).fit(state, before));
}

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
