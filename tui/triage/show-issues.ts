import type { IssueDetail } from '../../core/reader.js';
import { updateRows } from '../state/list-merge.js';
import { issueRows } from '../state/row-kinds.js';
import type { Screen, TerminalState } from '../state/terminal-state.js';
import { withScreen } from '../state/terminal-state.js';

/** The state in which issues are shown as an action left them, on every screen; marks have served their purpose. */
export function showIssues(state: TerminalState, issues: readonly IssueDetail[]): TerminalState {
  return state.stack.reduce((now, { key }) => withScreen(now, key, (screen) => shown(screen, issues)), state);
}

function shown(screen: Screen, issues: readonly IssueDetail[]): Screen {
  switch (screen.kind) {
    case 'issues': {
      const list = updateRows(screen.list, issueRows(screen.wanted.sort), issues);
      return { ...screen, list, marked: new Set(), markStart: undefined };
    }
    case 'issue': {
      const now = issues.find(({ issue_id }) => issue_id === screen.issue.issue_id);
      return now === undefined ? screen : { ...screen, issue: now, detail: now };
    }
    default:
      return screen;
  }
}
