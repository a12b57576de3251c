import { type IssueScreen, openIssue } from '../../state/issue-state.js';
import { select } from '../../state/list-selection.js';
import { ISSUE_ROWS } from '../../state/paged-list.js';
import { popScreen, pushScreen, type TerminalState, withNotice } from '../../state/terminal-state.js';
import { issuesRows } from '../lists/list-order.js';

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
  const list = select(issues.list, ISSUE_ROWS, index + step, issuesRows(state));
  const below = popScreen({ ...state, stack: [{ ...issues, list }, ...above] });
  return pushScreen(below, (key) => ({ ...openIssue(key, next), pane: screen.pane }));
}
