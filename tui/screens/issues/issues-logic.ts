import { fullCount } from '../../format/counts.js';
import { ownWords } from '../../format/visible.js';
import { indexOfSelected, keepSelectedVisible } from '../../state/list-selection.js';
import { issueRows } from '../../state/row-kinds.js';
import type { ScreenLogic } from '../screen-logic.js';
import { runOnIssues } from './issues-commands.js';
import { issuesRows } from './issues-layout.js';
import { missingIssues, polledIssues } from './issues-reads.js';
import type { IssuesScreen } from './issues-state.js';

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
  position: (_state, { list, wanted, total }) => {
    const index = indexOfSelected(list, issueRows(wanted.sort));
    return ownWords(index < 0 ? '' : `${fullCount(index + 1)}/${fullCount(total)}`);
  },
};
