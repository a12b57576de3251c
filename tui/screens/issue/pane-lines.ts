import type { IssueDetail } from '../../../generated/reader-answers.js';
import { explanationView } from '../../format/explanation-view.js';
import { historyLines } from '../../format/history-lines.js';
import type { Line } from '../../format/line.js';
import type { TerminalState } from '../../state/terminal-state.js';
import type { IssueScreen } from './issue-state.js';

/** A text that was made for an issue as it was read, and for which pane, width and zone. */
interface MadeText {
  readonly asked: string;
  readonly lines: readonly Line[];
}

// Moves, position and drawing ask for the same text for every key, and a history may be a megabyte.
const made = new WeakMap<IssueDetail, MadeText>();

/** The text of a pane that is scrolled; undefined for other panes, and until it is read. */
export function textOfPane(
  { size, habits }: TerminalState,
  { pane, detail }: IssueScreen,
): readonly Line[] | undefined {
  if (detail === undefined || (pane !== 'why' && pane !== 'history')) return undefined;
  const asked = `${pane} ${size.columns} ${habits.time}`;
  const known = made.get(detail);
  if (known?.asked === asked) return known.lines;
  const lines =
    pane === 'why'
      ? explanationView(detail, size.columns)
      : historyLines(detail, { cells: size.columns, zone: habits.time });
  made.set(detail, { asked, lines });
  return lines;
}
