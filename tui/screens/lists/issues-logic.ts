import { SINCE_KINDS } from '../../../core/contract/reader.js';
import { openIssue } from '../../state/issue-state.js';
import { ISSUE_TABS, listedTab, listQuery } from '../../state/issue-tabs.js';
import type { IssuesScreen } from '../../state/issues-state.js';
import { isMove, moveInList, tabOf } from '../../state/moves.js';
import { positionInList, select, selectedRow, withSelectedVisible } from '../../state/paged-list.js';
import { withTerm } from '../../state/query-terms.js';
import type { ScreenLogic } from '../../state/screen-logic.js';
import { openReleases } from '../../state/status-state.js';
import { pushScreen, type TerminalState, withNotice, withTop } from '../../state/terminal-state.js';
import type { Command } from '../../terminal/keymap.js';
import { openCopyMenu } from '../../triage/copy-menu.js';
import { openExportPrompt } from '../../triage/export-prompt.js';
import { isTriage, offersTriage, runTriage } from '../../triage/run-triage.js';
import { openFilterPrompt } from './filter-prompt.js';
import { missingIssues, polledIssues } from './issues-reads.js';
import { drawIssues } from './issues-screen.js';
import { markAll, markRange, targetsOf, toggleMark, withoutMarks, withSource } from './list-changes.js';
import { issuesRows, reorder, steadyScreen } from './list-order.js';
import { isPreviewShown, ROWS_ABOVE_LIST, togglePreview } from './preview-reads.js';
import { openSearchPrompt } from './search-prompt.js';
import { askSince } from './since-lines.js';
import { openIssueValues } from './value-menu.js';
import { openSortMenu, openViews } from './views-menu.js';

/** The list of issues. */
export const ISSUES_LOGIC: ScreenLogic<IssuesScreen> = {
  keyScope: ({ wanted }) => ({ screen: 'issues', pane: wanted.since === undefined ? 'list' : 'since' }),
  run: (state, screen, command) => {
    const steady = steadyScreen(screen, state.nowMs);
    return runOnIssues(withTop(state, steady), steady, command);
  },
  missing: missingIssues,
  polled: polledIssues,
  fit: (state, screen) => withSelectedVisible(screen, issuesRows(state)),
  click: (state, screen, row) => {
    const index = screen.list.top + row - ROWS_ABOVE_LIST;
    const isListed = row >= ROWS_ABOVE_LIST && row < ROWS_ABOVE_LIST + issuesRows(state);
    const clicked = isListed ? screen.list.rows[index] : undefined;
    if (clicked === undefined) return state;
    if (clicked.issue_id === screen.list.selectedId) return runOnIssues(state, screen, 'open');
    const list = select(screen.list, index, issuesRows(state));
    return withTop(state, { ...screen, list });
  },
  isOffered: (_state, screen, command) => {
    const { list, wanted } = screen;
    if (wanted.since !== undefined && LIST_ONLY.has(command)) return false;
    const isEmpty = list.rows.length === 0 && wanted.query === '' && wanted.since === undefined;
    if (isTriage(command)) return command !== 'comment' && offersTriage(targetsOf(screen), command);
    if (NEEDS_ISSUES.has(command)) return !isEmpty;
    return !NEEDS_ROW.has(command) || list.rows.length > 0;
  },
  position: (_state, { list, total }) => positionInList(list, total),
  draw: drawIssues,
};

/** Commands that mean nothing while there are no issues at all. */
const NEEDS_ISSUES: ReadonlySet<Command> = new Set(['filter', 'sort', 'since']);

/** Commands on the selected issue. */
const NEEDS_ROW: ReadonlySet<Command> = new Set(['open', 'copy']);

/** Commands that change or name the filter and the order, which a list since an instant has not. */
const LIST_ONLY: ReadonlySet<Command> = new Set(['filter', 'sort', 'include', 'exclude', 'views', 'export']);

function runOnIssues(state: TerminalState, screen: IssuesScreen, command: Command): TerminalState {
  if (command === 'first') return withTop(state, reorder(screen, state));
  if (isMove(command)) {
    return withTop(state, { ...screen, list: moveInList(screen.list, command, issuesRows(state)) });
  }
  const lost = lostSource(state, screen);
  if (lost !== undefined && ((isTriage(command) && command !== 'undo') || command === 'open')) {
    return withNotice(state, `${lost} is lost: its issues cannot be opened or changed until it responds.`);
  }
  if (isTriage(command)) return runTriage(state, targetsOf(screen), command);
  if (screen.wanted.since !== undefined && LIST_ONLY.has(command)) {
    return withNotice(state, 'Only in the list of issues: Esc leads back to it.');
  }
  const issue = selectedRow(screen.list);
  switch (command) {
    case 'open':
      return issue === undefined ? state : pushScreen(state, (key) => openIssue(key, issue));
    case 'back':
      return back(state, screen);
    case 'filter':
      return openFilterPrompt(state, screen);
    case 'sort':
      return { ...state, overlay: openSortMenu(screen) };
    case 'include':
    case 'exclude':
      return chooseValue(state, screen, command === 'exclude');
    case 'since':
      return askSince(state);
    case 'releases':
      return pushScreen(state, openReleases);
    case 'views':
      return openViews(state, screen);
    case 'copy':
      return issue === undefined ? state : { ...state, overlay: openCopyMenu({ issueId: issue.issue_id }) };
    case 'export':
      return openExportPrompt(state, { what: 'issues', query: listQuery(screen.wanted, screen.me) });
    case 'search_events':
      return openSearchPrompt(state);
    case 'preview': {
      const toggled = togglePreview(state, screen.list, isPreviewShown);
      return withTop(toggled, withSelectedVisible(screen, issuesRows(toggled)));
    }
    case 'mark':
      return withTop(state, toggleMark(screen, issuesRows(state)));
    case 'mark_range':
      return withTop(state, markRange(screen));
    case 'mark_all':
      return markAll(state, screen);
    default:
      return toTab(state, screen, command);
  }
}

/** The name of a source that does not respond and has one of the issues that a command would change. */
function lostSource(state: TerminalState, screen: IssuesScreen): string | undefined {
  const stale = targetsOf(screen).find(({ issue_id }) => state.stale.has(issue_id));
  return stale && state.stale.get(stale.issue_id);
}

function chooseValue(state: TerminalState, { list, wanted }: IssuesScreen, isExcluded: boolean): TerminalState {
  const issue = selectedRow(list);
  if (issue === undefined) return withNotice(state, 'The list is empty.');
  const accept = (now: TerminalState, term: string) => withSource(now, { query: withTerm(wanted.query, term) });
  return { ...state, overlay: openIssueValues(issue, { isExcluded, accept }) };
}

function back(state: TerminalState, screen: IssuesScreen): TerminalState {
  if (screen.marked.size > 0) return withTop(state, withoutMarks(screen));
  if (screen.wanted.since !== undefined) return withSource(state, { since: undefined });
  return screen.wanted.query === '' ? state : withSource(state, { query: '' });
}

function toTab(state: TerminalState, { wanted }: IssuesScreen, command: Command): TerminalState {
  const { since } = wanted;
  if (since !== undefined) {
    const kind = tabOf(SINCE_KINDS, since.kind, command);
    return kind === undefined ? state : withSource(state, { since: { ...since, kind } });
  }
  const tab = tabOf(ISSUE_TABS, wanted.tab, command);
  if (tab === undefined || tab === wanted.tab) return state;
  if (listedTab(wanted) === wanted.tab) return withSource(state, { tab });
  return withNotice(state, 'The filter names a state, so all issues are listed. Esc clears it.');
}
