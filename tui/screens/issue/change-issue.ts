import type { Fault } from '../../../core/event/fault.js';
import { type IssueScreen, openIssue } from '../../state/issue-state.js';
import { select, withSelectedVisible } from '../../state/paged-list.js';
import {
  changeScreen,
  popScreen,
  pushScreen,
  type StateChange,
  type TerminalState,
  withNotice,
  withTop,
} from '../../state/terminal-state.js';
import { issuesRows } from '../lists/list-order.js';
import { eventRowsOf } from './issue-layout.js';

/** Replaces the visible issue and keeps its selection visible. */
export function withIssue(state: TerminalState, screen: IssueScreen): TerminalState {
  return withTop(state, fitIssue(state, screen));
}

/** Keeps the selection visible in the window. */
export function fitIssue(state: TerminalState, screen: IssueScreen): IssueScreen {
  return withSelectedVisible(screen, eventRowsOf(state, screen));
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

/** Position of the issue in the list below, from 0; -1 if it is not listed. */
export function indexInList({ stack: [{ list }] }: TerminalState, { issue }: IssueScreen): number {
  return list.rows.findIndex(({ issue_id }) => issue_id === issue.issue_id);
}

/** Shows the next or previous issue of the list in the same tab, and selects it there. */
export function nextIssue(state: TerminalState, screen: IssueScreen, step: 1 | -1): TerminalState {
  const index = indexInList(state, screen);
  if (index < 0) return withNotice(state, 'This issue is not in the list.');
  const [issues, ...above] = state.stack;
  const next = issues.list.rows[index + step];
  if (next === undefined) return withNotice(state, step > 0 ? 'This is the last issue.' : 'This is the first issue.');
  const list = select(issues.list, index + step, issuesRows(state));
  const below = popScreen({ ...state, stack: [{ ...issues, list }, ...above] });
  return pushScreen(below, (key) => ({ ...openIssue(key, next), pane: screen.pane }));
}
