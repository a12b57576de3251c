import type { IssueSource } from '../../state/issues-state.js';
import { type TerminalState, topScreen, withTop } from '../../state/terminal-state.js';
import { withoutMarks } from './marks.js';

/** The list, where it is visible, with something else asked for; what was read stays until the answer comes. */
export function wanting(state: TerminalState, change: Partial<IssueSource>): TerminalState {
  const screen = topScreen(state);
  if (screen.kind !== 'issues') return state;
  const wanted = { ...screen.wanted, ...change };
  const list = { ...screen.list, isTouched: false };
  return withTop(state, { ...withoutMarks(screen), wanted, paused: undefined, list });
}
