import { type TerminalState, withTop } from '../../state/terminal-state.js';
import type { IssueSource, IssuesScreen } from './issues-state.js';
import { withoutMarks } from './marks.js';

/** The list with something else asked for; what was read stays until the answer comes. */
export function wanting(state: TerminalState, screen: IssuesScreen, change: Partial<IssueSource>): TerminalState {
  const wanted = { ...screen.wanted, ...change };
  const list = { ...screen.list, isTouched: false };
  return withTop(state, { ...withoutMarks(screen), wanted, paused: undefined, list });
}
