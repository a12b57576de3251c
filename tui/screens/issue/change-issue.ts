import type { Fault } from '../../../core/event/fault.js';
import type { IssueScreen } from '../../state/issue-state.js';
import { withSelectedVisible } from '../../state/list-selection.js';
import { EVENT_ROWS } from '../../state/paged-list.js';
import { changeScreen, type StateChange, type TerminalState, withNotice, withTop } from '../../state/terminal-state.js';
import { eventRowsOf } from './issue-layout.js';

/** Replaces the visible issue and keeps its selection visible. */
export function withIssue(state: TerminalState, screen: IssueScreen): TerminalState {
  return withTop(state, fitIssue(state, screen));
}

/** Keeps the selection visible in the window. */
export function fitIssue(state: TerminalState, screen: IssueScreen): IssueScreen {
  return withSelectedVisible(screen, EVENT_ROWS, eventRowsOf(state, screen));
}

type Filter = Partial<Pick<IssueScreen, 'query' | 'range' | 'span'>>;

/** Requests other events; the loaded rows stay until the new ones arrive. */
export function withFilter(state: TerminalState, screen: IssueScreen, filter: Filter): TerminalState {
  const list = { ...screen.list, isTouched: false };
  const changed = { ...screen, ...filter, list };
  // Facet values of another query are different ones.
  const index = changed.query === screen.query || screen.pane !== 'facets' ? screen.index : 0;
  return withIssue(state, { ...changed, index });
}

/** Removes a filter that the reader rejected and shows the reason, unless it was changed by then; undefined for other faults. */
export function rejectedFilter(
  key: number,
  isCurrent: (screen: IssueScreen) => boolean,
  fault: Fault,
): StateChange | undefined {
  if (fault.code !== 'QUERY_INVALID' && fault.code !== 'PARAMETER_INVALID') return undefined;
  return (state) => {
    let isRemoved = false;
    const changed = changeScreen('issue', key, (screen) => {
      isRemoved = isCurrent(screen);
      return isRemoved ? { ...screen, query: '', range: undefined, span: '24h' } : { ...screen };
    })(state);
    return isRemoved ? withNotice(changed, fault.message, 'error') : changed;
  };
}
