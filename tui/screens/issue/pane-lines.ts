import { explanationView } from '../../format/explanation-view.js';
import { historyLines } from '../../format/history-lines.js';
import type { Line } from '../../format/line.js';
import type { TerminalState } from '../../state/terminal-state.js';
import type { IssueScreen } from './issue-state.js';

/** The text of a pane that is scrolled; undefined for other panes, and until it is read. */
export function textOfPane(
  { size, habits }: TerminalState,
  { pane, detail }: IssueScreen,
): readonly Line[] | undefined {
  if (detail === undefined) return undefined;
  if (pane === 'why') return explanationView(detail, size.columns);
  return pane === 'history' ? historyLines(detail, { cells: size.columns, zone: habits.time }) : undefined;
}
