import type { IssueId } from '../../core/event/ids.js';
import type { IssueDetail } from '../../generated/reader-answers.js';
import { updateRows } from '../state/list-merge.js';
import { issueRows } from '../state/row-kinds.js';
import type { Screen, TerminalState } from '../state/terminal-state.js';
import { withScreen } from '../state/terminal-state.js';

/** The state in which issues are shown as an action left them, on every screen. Marks have served their purpose, but those of issues with which it `failed`. */
export function showIssues(
  state: TerminalState,
  issues: readonly IssueDetail[],
  failed: readonly IssueId[] = [],
): TerminalState {
  return state.stack.reduce((now, { key }) => withScreen(now, key, (screen) => shown(screen, issues, failed)), state);
}

function shown(screen: Screen, issues: readonly IssueDetail[], failed: readonly IssueId[]): Screen {
  switch (screen.kind) {
    case 'issues': {
      const list = updateRows(screen.list, issueRows(screen.wanted.sort), issues);
      const marked = new Set(failed.filter((id) => screen.marked.has(id)));
      return { ...screen, list, marked, markStart: undefined };
    }
    case 'issue': {
      const now = issues.find(({ issue_id }) => issue_id === screen.issue.issue_id);
      return now === undefined ? screen : { ...screen, issue: now, detail: now };
    }
    default:
      return screen;
  }
}
