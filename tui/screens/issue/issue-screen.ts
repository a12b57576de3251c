import { messageLines } from '../../components/message-lines.js';
import type { IssueScreen } from '../../state/issue-state.js';
import type { Drawing, TitleFact } from '../../state/screen-logic.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { fullCount } from '../../text/counts.js';
import { span, withRows, words } from '../../text/line.js';
import { cutToCells, literal } from '../../text/visible.js';
import { eventPreview } from './event-preview.js';
import { headerLines } from './header-lines.js';
import { issueLayout } from './issue-layout.js';
import { indexInList } from './next-issue.js';
import { emptyWords, paneBody } from './pane-body.js';

/** Cells of the name in the title bar. */
const NAME_CELLS = 40;

/** One issue: its header above, one of its panes below. */
export function drawIssue(state: TerminalState, screen: IssueScreen): Drawing {
  const { columns } = state.size;
  const layout = issueLayout(state, screen);
  const body = paneBody(state, screen, layout) ?? messageLines(emptyWords(state, screen), columns, layout.paneRows);
  return {
    path: `Issues › ${cutToCells(screen.issue.error_name || screen.issue.title, NAME_CELLS)}`,
    facts: factsOf(state, screen),
    lines: [
      ...headerLines(state, screen, layout),
      ...withRows(body, layout.paneRows),
      ...eventPreview(state, screen, layout.previewRows),
    ],
  };
}

/** Whether newer events are hidden, and the position in the list of issues. */
function factsOf(state: TerminalState, screen: IssueScreen): readonly TitleFact[] {
  const index = indexInList(state, screen);
  const of = literal(`${fullCount(index + 1)} of ${fullCount(state.stack[0].total)}`);
  return [
    ...(screen.list.isBehind ? [{ text: words('newer events: g', 'warning'), rank: 1 }] : []),
    ...(index < 0 ? [] : [{ text: span(of), rank: 0 }]),
  ];
}
