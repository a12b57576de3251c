import { explanationLines } from '../../../core/explain/explanation-lines.js';
import type { IssueDetail } from '../../../generated/reader-answers.js';
import { explanationLine } from '../../format/event/explained.js';
import type { IssueScreen } from '../../state/issue-state.js';
import { type Move, moveIndex, moveInList } from '../../state/moves.js';
import { EVENT_ROWS } from '../../state/row-kinds.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { type Line, span, words } from '../../text/line.js';
import { cellsOf, literal, neutralise } from '../../text/visible.js';
import { wrapLine } from '../../text/wrapped-line.js';
import { entriesOf } from './history-lines.js';
import { choicesOf } from './issue-filter.js';
import { eventRowsOf, issueLayout } from './issue-layout.js';

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
  if (screen.pane === 'related') return Math.max(0, (screen.related?.length ?? 0) - 1);
  const lines = textOfPane(state, screen)?.length ?? 0;
  return Math.max(0, lines - issueLayout(state, screen).paneRows);
}

/** The text of the Why pane; undefined for other panes, and until loaded. */
export function textOfPane({ size }: TerminalState, { pane, detail }: IssueScreen): readonly Line[] | undefined {
  return detail === undefined || pane !== 'why' ? undefined : explanationView(detail, size.columns);
}

/** The lines about grouping rules of the user, which a reader does not know; left out. */
const RULES_LABEL = 'your rules';
const MAX_FINGERPRINTS = 32;

/** Explains why the events are one issue. */
function explanationView(issue: IssueDetail, cells: number): Line[] {
  const { fingerprint, fingerprint_version, title, culprit, basis, fingerprints } = issue;
  const reasons = explanationLines({ value: fingerprint, version: fingerprint_version, title, culprit, basis }, [])
    .filter(([label]) => label?.text.trimEnd() !== RULES_LABEL)
    .map(explanationLine);
  const others = fingerprints.filter((one) => one !== fingerprint);
  const merged: Line[] =
    others.length === 0
      ? []
      : [
          [],
          [words('Fingerprints merged into this issue:', 'muted')],
          ...others.slice(0, MAX_FINGERPRINTS).map((one): Line => [words('  '), span(neutralise(one))]),
          ...(others.length > MAX_FINGERPRINTS
            ? [[words(`  and ${others.length - MAX_FINGERPRINTS} more`, 'muted')]]
            : []),
        ];
  return [...reasons, ...merged].flatMap((line) => wrapLine(line, cells, labelCells(line)));
}

/** Cells of the label; continuation rows begin behind it. */
function labelCells(line: Line): number {
  const [label] = line;
  return line.length < 2 || label === undefined ? 0 : cellsOf(literal(label.text));
}
