import { type Command, commandOf } from './keymap.js';
import { bodyRows } from './state/layout.js';
import { keepSelectedVisible, selectedRow } from './state/list-selection.js';
import { isMove, type Move, moveInList, moveInText } from './state/moves.js';
import { EMPTY_LIST } from './state/paged-list.js';
import { PAGER_START, type PagerView } from './state/pager.js';
import { EMPTY_PROMPT, typeIntoPrompt } from './state/prompt.js';
import { EVENT_ROWS, issueRows } from './state/row-kinds.js';
import {
  type IssuesScreen,
  type Screen,
  type TerminalState,
  topScreen,
  type WindowSize,
  withTop,
} from './state/terminal-state.js';
import type { KeyInput } from './terminal/key-parser.js';

/** The state after a key: pure, so that keys typed ahead of the screen act on what they will find there. */
export function press(state: TerminalState, input: KeyInput): TerminalState {
  const top = topScreen(state);
  if (input.kind === 'key' && input.key === 'ctrl-c') return { ...state, isOver: true };
  if (state.isHelpOpen) return pressOnHelp(state, input);
  if (top.kind === 'issues' && top.prompt !== undefined) return pressInPrompt(state, top, input);
  const command = commandOf(input, top.kind);
  return command === undefined ? state : run(state, command);
}

/** The state in a window of another size: selections stay visible, texts stay at the words that were at the top. */
export function resize(state: TerminalState, size: WindowSize): TerminalState {
  const from = textView(state);
  const resized = { ...state, size };
  const top = topScreen(resized);
  const rows = bodyRows(resized);
  if (top.kind === 'issues') {
    return withTop(resized, { ...top, list: keepSelectedVisible(top.list, issueRows(top.wanted.sort), rows) });
  }
  if (top.kind === 'events') return withTop(resized, { ...top, list: keepSelectedVisible(top.list, EVENT_ROWS, rows) });
  const position = top.pager?.reflow(top.position, from, textView(resized)) ?? top.position;
  return withTop(resized, { ...top, position });
}

/** The window of a screen that shows a text. */
export function textView(state: TerminalState): PagerView {
  return { columns: state.size.columns, rows: bodyRows(state) };
}

function run(state: TerminalState, command: Command): TerminalState {
  if (isMove(command)) return withTop(state, moved(state, topScreen(state), command));
  switch (command) {
    case 'open':
      return open(state);
    case 'back':
      return back(state);
    case 'follow':
      return isLinkVisible(state) ? back(state) : state;
    case 'filter':
      return changeIssues(state, (issues) => ({
        ...issues,
        prompt: { ...EMPTY_PROMPT, previous: issues.wanted.query },
      }));
    case 'sort':
      return changeIssues(state, toggleSort);
    case 'help':
      return { ...state, isHelpOpen: true };
    case 'quit':
      return { ...state, isOver: true };
    // The terminal itself answers these; see `terminal/`.
    case 'redraw':
    case 'suspend':
      return state;
  }
}

function moved(state: TerminalState, screen: Screen, move: Move): Screen {
  const rows = bodyRows(state);
  switch (screen.kind) {
    case 'issues':
      return { ...screen, list: moveInList(screen.list, issueRows(screen.wanted.sort), move, rows) };
    case 'events':
      return { ...screen, list: moveInList(screen.list, EVENT_ROWS, move, rows) };
    case 'event':
      if (screen.pager === undefined) return screen;
      return { ...screen, position: moveInText(screen.pager, screen.position, move, textView(state)) };
  }
}

/** Opens the selected row's screen on top. */
function open(state: TerminalState): TerminalState {
  const top = topScreen(state);
  const key = state.nextKey;
  if (top.kind === 'issues') {
    const issue = selectedRow(top.list, issueRows(top.wanted.sort));
    if (issue === undefined) return state;
    return pushed(state, { kind: 'events', key, issue, list: EMPTY_LIST, reading: 'loading' });
  }
  if (top.kind === 'event') return state;
  const event = selectedRow(top.list, EVENT_ROWS);
  if (event === undefined) return state;
  const { event_id: eventId, issue_id: issueId } = event;
  return pushed(state, {
    kind: 'event',
    key,
    issueId,
    eventId,
    pager: undefined,
    position: PAGER_START,
    isGone: false,
  });
}

function pushed(state: TerminalState, screen: Screen): TerminalState {
  return { ...state, stack: [...state.stack, screen], nextKey: state.nextKey + 1 };
}

/** Leaves the visible screen; on the last one, clears its filter. */
function back(state: TerminalState): TerminalState {
  const [first, ...above] = state.stack;
  if (above.length === 0) return changeIssues(state, withoutFilter);
  // The window may have changed while the screen below was covered.
  return resize({ ...state, stack: [first, ...above.slice(0, -1)] }, state.size);
}

function isLinkVisible(state: TerminalState): boolean {
  const top = topScreen(state);
  if (top.kind !== 'event' || top.pager === undefined) return false;
  return top.pager.visibleRows(top.position, textView(state)).some(({ part }) => part === 'link');
}

function changeIssues(state: TerminalState, change: (issues: IssuesScreen) => IssuesScreen): TerminalState {
  const top = topScreen(state);
  return top.kind === 'issues' ? withTop(state, change(top)) : state;
}

function toggleSort(issues: IssuesScreen): IssuesScreen {
  const sort = issues.wanted.sort === 'last_seen' ? 'count' : 'last_seen';
  return { ...issues, wanted: { ...issues.wanted, sort } };
}

function withoutFilter(issues: IssuesScreen): IssuesScreen {
  if (issues.wanted.query === '') return issues;
  return { ...issues, wanted: { ...issues.wanted, query: '' } };
}

function pressInPrompt(state: TerminalState, issues: IssuesScreen, input: KeyInput): TerminalState {
  const prompt = issues.prompt ?? EMPTY_PROMPT;
  const result = typeIntoPrompt(prompt, input);
  switch (result.kind) {
    case 'edit':
      return withTop(state, { ...issues, prompt: result.prompt });
    case 'cancel':
      return withTop(state, { ...withoutFilter(issues), prompt: undefined });
    case 'apply': {
      const wanted = { ...issues.wanted, query: prompt.draft.trim() };
      // A query that cannot be read opens the prompt again, with the reason.
      return withTop(state, { ...issues, wanted, prompt: undefined });
    }
  }
}

function pressOnHelp(state: TerminalState, input: KeyInput): TerminalState {
  const command = commandOf(input, topScreen(state).kind);
  if (command === 'quit') return { ...state, isOver: true };
  return command === 'help' || command === 'back' || command === 'open' ? { ...state, isHelpOpen: false } : state;
}
