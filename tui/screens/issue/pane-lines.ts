import type { IssueScreen } from '../../state/issue-state.js';
import { type Move, moveIndex, moveInList } from '../../state/moves.js';
import { EVENT_ROWS } from '../../state/row-kinds.js';
import type { TerminalState } from '../../state/terminal-state.js';
import type { Line } from '../../text/line.js';
import { entriesOf } from './history-lines.js';
import { choicesOf } from './issue-filter.js';
import { eventRowsOf, issueLayout } from './issue-layout.js';
import { relatedIssues } from './related-lines.js';
import { whyLines } from './why-lines.js';

/** Moves the selection of a list, or the first visible line of a text. */
export function moveInPane(state: TerminalState, screen: IssueScreen, move: Move): IssueScreen {
  if (screen.pane === 'events') {
    const list = moveInList(screen.list, EVENT_ROWS, move, eventRowsOf(state, screen));
    return list === screen.list ? screen : { ...screen, list };
  }
  const rows = issueLayout(state, screen).paneRows;
  const last = lastIndex(state, screen);
  const index = moveIndex(Math.min(screen.index, last), move, { last, rows });
  return index === screen.index ? screen : { ...screen, index };
}

/** The last valid index of a pane. */
export function lastIndex(state: TerminalState, screen: IssueScreen): number {
  if (screen.pane === 'facets') return Math.max(0, choicesOf(screen).length - 1);
  if (screen.pane === 'history') return Math.max(0, entriesOf(state, screen.detail).length - 1);
  if (screen.pane === 'related') return Math.max(0, relatedIssues(screen).length - 1);
  const lines = textOfPane(state, screen)?.length ?? 0;
  return Math.max(0, lines - issueLayout(state, screen).paneRows);
}

/** The text of the Why pane; undefined for other panes, and until loaded. */
export function textOfPane({ size }: TerminalState, { pane, detail }: IssueScreen): readonly Line[] | undefined {
  return detail === undefined || pane !== 'why' ? undefined : whyLines(detail, size.columns);
}
