import type { IssueScreen } from '../../state/issue-state.js';
import { type Move, moveInList, movePlace } from '../../state/moves.js';
import { EVENT_ROWS } from '../../state/row-kinds.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { choicesOf } from './issue-filter.js';
import { eventRowsOf, issueLayout } from './issue-layout.js';
import { textOfPane } from './pane-lines.js';

/** The issue after a move in its pane: the selection of a list, or the first visible line of a text. */
export function moved(state: TerminalState, screen: IssueScreen, move: Move): IssueScreen {
  if (screen.pane === 'events') {
    const list = moveInList(screen.list, EVENT_ROWS, move, eventRowsOf(state, screen));
    return list === screen.list ? screen : { ...screen, list };
  }
  const rows = issueLayout(state, screen).paneRows;
  const last = lastPlace(state, screen);
  const place = movePlace(Math.min(screen.place, last), move, { last, rows });
  return place === screen.place ? screen : { ...screen, place };
}

/** The last place of a pane. */
export function lastPlace(state: TerminalState, screen: IssueScreen): number {
  if (screen.pane === 'facets') return Math.max(0, choicesOf(screen).length - 1);
  if (screen.pane === 'related') return Math.max(0, (screen.related?.length ?? 0) - 1);
  const lines = textOfPane(state, screen)?.length ?? 0;
  return Math.max(0, lines - issueLayout(state, screen).paneRows);
}
