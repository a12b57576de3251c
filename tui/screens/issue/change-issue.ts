import type { Fault } from '../../../core/event/fault.js';
import type { IssueScreen } from '../../state/issue-state.js';
import { keepSelectedVisible } from '../../state/list-selection.js';
import { EVENT_ROWS } from '../../state/row-kinds.js';
import { type StateChange, type TerminalState, withNotice, withScreen, withTop } from '../../state/terminal-state.js';
import { eventRowsOf } from './issue-layout.js';

/** What a reading changes of the issue that it was made for, wherever its screen is now. */
export function changeIssue(
  key: number,
  change: (screen: IssueScreen, state: TerminalState) => IssueScreen,
): StateChange {
  return (state) => withScreen(state, key, (screen) => (screen.kind === 'issue' ? change(screen, state) : screen));
}

/** The issue changed by a command, its selection visible in the rows that are left for the list then. */
export function withIssue(state: TerminalState, screen: IssueScreen): TerminalState {
  return withTop(state, fitIssue(state, screen));
}

/** The issue with its selection visible in the window of a state. */
export function fitIssue(state: TerminalState, screen: IssueScreen): IssueScreen {
  const list = keepSelectedVisible(screen.list, EVENT_ROWS, eventRowsOf(state, screen));
  return list === screen.list ? screen : { ...screen, list };
}

/** What makes other events be listed. */
type Filter = Partial<Pick<IssueScreen, 'query' | 'range'>>;

/** The issue with other events asked for: what was read stays until the answer comes, and what was paused goes on. */
export function withFilter(state: TerminalState, screen: IssueScreen, filter: Filter): TerminalState {
  const list = { ...screen.list, isTouched: false };
  const changed = { ...screen, ...filter, list, paused: undefined };
  // Values of one range say nothing of another filter's.
  const place = changed.query === screen.query || screen.pane !== 'facets' ? screen.index : 0;
  return withIssue(state, {
    ...changed,
    index: place,
    rangeSummary: changed.range === undefined ? undefined : screen.rangeSummary,
  });
}

/** Takes back a filter that the collector cannot read, and says why, while it is still asked for; undefined for other faults. */
export function rejectedFilter(
  key: number,
  isAskedFor: (screen: IssueScreen) => boolean,
  fault: Fault,
): StateChange | undefined {
  if (fault.code !== 'QUERY_INVALID' && fault.code !== 'PARAMETER_INVALID') return undefined;
  return (state) => {
    let isTaken = false;
    const changed = changeIssue(key, (screen) => {
      isTaken = isAskedFor(screen);
      return isTaken ? { ...screen, query: '', range: undefined, rangeSummary: undefined } : { ...screen };
    })(state);
    return isTaken ? withNotice(changed, fault.message, 'error') : changed;
  };
}
