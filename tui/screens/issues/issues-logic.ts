import { fullCount } from '../../format/counts.js';
import { ownWords } from '../../format/visible.js';
import { indexOfSelected, keepSelectedVisible, select } from '../../state/list-selection.js';
import { issueRows } from '../../state/row-kinds.js';
import { withTop } from '../../state/terminal-state.js';
import { offersTriage } from '../../triage/offers-triage.js';
import { isTriage } from '../../triage/run-triage.js';
import type { ScreenLogic } from '../screen-logic.js';
import { runOnIssues } from './issues-commands.js';
import { issuesRows, ROWS_ABOVE_LIST } from './issues-layout.js';
import { missingIssues, polledIssues } from './issues-reads.js';
import type { IssuesScreen } from './issues-state.js';
import { targetsOf } from './marks.js';

/** The list of issues. */
export const ISSUES_LOGIC: ScreenLogic<IssuesScreen> = {
  place: () => ({ screen: 'issues' }),
  run: runOnIssues,
  missing: missingIssues,
  polled: (_state, screen) => polledIssues(screen),
  fit: (state, screen) => {
    const list = keepSelectedVisible(screen.list, issueRows(screen.wanted.sort), issuesRows(state));
    return list === screen.list ? screen : { ...screen, list };
  },
  click: (state, screen, row) => {
    const index = screen.list.top + row - ROWS_ABOVE_LIST;
    const clicked = row < ROWS_ABOVE_LIST ? undefined : screen.list.rows[index];
    if (clicked === undefined) return state;
    if (clicked.issue_id === screen.list.selectedId) return runOnIssues(state, screen, 'open');
    const list = select(screen.list, issueRows(screen.wanted.sort), index, issuesRows(state));
    return withTop(state, { ...screen, list });
  },
  isOffered: (_state, screen, command) => {
    if (isTriage(command)) return offersTriage(targetsOf(screen), command);
    return (command !== 'open' && command !== 'copy') || screen.list.rows.length > 0;
  },
  position: (_state, { list, wanted, total }) => {
    const index = indexOfSelected(list, issueRows(wanted.sort));
    return ownWords(index < 0 ? '' : `${fullCount(index + 1)}/${fullCount(total)}`);
  },
};
