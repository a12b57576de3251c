import { explanationLines } from '../../../core/explain/explanation-lines.js';
import type { IssueDetail } from '../../../generated/reader-answers.js';
import { explained } from '../../format/event/explained.js';
import { historyLines } from '../../format/issue/history-lines.js';
import type { IssueScreen } from '../../state/issue-state.js';
import { type Move, moveIndex, moveInList } from '../../state/moves.js';
import { EVENT_ROWS } from '../../state/row-kinds.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { type Line, span, words } from '../../text/line.js';
import { cellsOf, neutralise, ownWords } from '../../text/visible.js';
import { wrapLine } from '../../text/wrapped-line.js';
import { choicesOf } from './issue-filter.js';
import { eventRowsOf, issueLayout } from './issue-layout.js';

/** The issue after a move in its pane: the selection of a list, or the first visible line of a text. */
export function moveInPane(state: TerminalState, screen: IssueScreen, move: Move): IssueScreen {
  if (screen.pane === 'events') {
    const list = moveInList(screen.list, EVENT_ROWS, move, eventRowsOf(state, screen));
    return list === screen.list ? screen : { ...screen, list };
  }
  const rows = issueLayout(state, screen).paneRows;
  const last = lastIndex(state, screen);
  const place = moveIndex(Math.min(screen.index, last), move, { last, rows });
  return place === screen.index ? screen : { ...screen, index: place };
}

/** The last place of a pane. */
export function lastIndex(state: TerminalState, screen: IssueScreen): number {
  if (screen.pane === 'facets') return Math.max(0, choicesOf(screen).length - 1);
  if (screen.pane === 'related') return Math.max(0, (screen.related?.length ?? 0) - 1);
  const lines = textOfPane(state, screen)?.length ?? 0;
  return Math.max(0, lines - issueLayout(state, screen).paneRows);
}

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

/** The lines about rules of the user's: a reader does not know them, so nothing is said of them. */
const RULES_LABEL = 'your rules';
const MAX_FINGERPRINTS = 32;

/** Why the events of an issue are one, in words, wrapped to a width. */
function explanationView(issue: IssueDetail, cells: number): Line[] {
  const { fingerprint, fingerprint_version, title, culprit, basis, fingerprints } = issue;
  const reasons = explanationLines({ value: fingerprint, version: fingerprint_version, title, culprit, basis }, [])
    .filter(([label]) => label?.text.trimEnd() !== RULES_LABEL)
    .map(explained);
  const others = fingerprints.filter((one) => one !== fingerprint);
  const merged: Line[] =
    others.length === 0
      ? []
      : [
          [],
          [words('Merged into it were events of other fingerprints:', 'muted')],
          ...others.slice(0, MAX_FINGERPRINTS).map((one): Line => [words('  '), span(neutralise(one))]),
          ...(others.length > MAX_FINGERPRINTS
            ? [[words(`  and ${others.length - MAX_FINGERPRINTS} more`, 'muted')]]
            : []),
        ];
  return [...reasons, ...merged].flatMap((line) => wrapLine(line, cells, labelCells(line)));
}

/** Where the text of a line begins: rows that it needs more begin there too. */
function labelCells(line: Line): number {
  const [label] = line;
  return line.length < 2 || label === undefined ? 0 : cellsOf(ownWords(label.text));
}
