import { explanationLines } from '../../../core/explain/explanation-lines.js';
import type { IssueDetail, IssueHistoryEntry } from '../../../generated/reader-answers.js';
import { explanationLine } from '../../format/event/explained.js';
import { datedStateWords } from '../../format/issue/state-words.js';
import type { IssueScreen } from '../../state/issue-state.js';
import { type Move, moveIndex, moveInList } from '../../state/moves.js';
import { EVENT_ROWS } from '../../state/row-kinds.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { countWithNoun } from '../../text/counts.js';
import { type Line, type Span, span, words } from '../../text/line.js';
import { clockTime, type Zone } from '../../text/time-words.js';
import { cellsOf, literal, neutralise } from '../../text/visible.js';
import { wrapLine } from '../../text/wrapped-line.js';
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
  if (screen.pane === 'related') return Math.max(0, (screen.related?.length ?? 0) - 1);
  const lines = textOfPane(state, screen)?.length ?? 0;
  return Math.max(0, lines - issueLayout(state, screen).paneRows);
}

interface MadeText {
  /** Pane, width and zone. */
  readonly key: string;
  readonly lines: readonly Line[];
}

// Moves, position and drawing need the same text for every key, and a history may be a megabyte.
const made = new WeakMap<IssueDetail, MadeText>();

/** The text of the Why or History pane; undefined for other panes, and until loaded. */
export function textOfPane(
  { size, habits }: TerminalState,
  { pane, detail }: IssueScreen,
): readonly Line[] | undefined {
  if (detail === undefined || (pane !== 'why' && pane !== 'history')) return undefined;
  const key = `${pane} ${size.columns} ${habits.time}`;
  const known = made.get(detail);
  if (known?.key === key) return known.lines;
  const lines =
    pane === 'why'
      ? explanationView(detail, size.columns)
      : historyLines(detail, { cells: size.columns, zone: habits.time });
  made.set(detail, { key, lines });
  return lines;
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

const PAST_TENSE: ReadonlyMap<string, string> = new Map([
  ['resolve', 'resolved it'],
  ['reopen', 'opened it again'],
  ['ignore', 'ignored it'],
  ['assign', 'assigned it'],
  ['comment', 'said'],
  ['merge', 'merged into it'],
  ['split', 'split from it'],
  ['undo', 'undid'],
]);
const MAX_ENTRIES = 500;
/** UTF-16 units of a text. */
const MAX_TEXT = 2_000;
const ID_LENGTH = 8;
const MARGIN = 2;
/** Column after the time, where the text starts. */
const TEXT_AT = 23;

/** The actions on an issue and its automatic changes, latest first, wrapped to `cells`. */
function historyLines(issue: IssueDetail, { cells, zone }: { cells: number; zone: Zone }): Line[] {
  const { history, first_seen, last_seen } = issue;
  const listed = history.slice(-MAX_ENTRIES).toReversed();
  const left = history.length - listed.length;
  const rows: Line[] = [
    ...automaticChanges(issue).map((text) => entry(last_seen, zone, [words(text, 'warning')])),
    ...listed.map((one) => entry(one.at, zone, entryWords(one, issue))),
    ...(left === 0 ? [] : [[words('  and '), span(countWithNoun(left, 'earlier action'))]]),
    entry(first_seen, zone, [words('first event')]),
  ];
  return rows.flatMap((row) => wrapLine(row, cells, TEXT_AT));
}

/** Changes caused by events, derived from the state because the history has only actions. */
function automaticChanges(issue: IssueDetail): string[] {
  if (issue.status !== 'open') return [];
  return [
    ...(issue.regressed ? ['latest event; the issue was resolved before'] : []),
    ...(issue.spiking ? ['latest event; unusually many in the last hour'] : []),
  ];
}

function entry(at: string, zone: Zone, text: readonly Span[]): Line {
  return [words(' '.repeat(MARGIN)), span(clockTime(at, 'full', zone), 'muted'), words('  '), ...text];
}

function entryWords(one: IssueHistoryEntry, issue: IssueDetail): Span[] {
  const meaning = one.undone ? 'muted' : 'plain';
  const verb = PAST_TENSE.get(one.action);
  return [
    one.actor === null ? words('somebody', 'muted') : span(neutralise(one.actor), one.undone ? 'muted' : 'strong'),
    words(' '),
    verb === undefined ? span(neutralise(cut(one.action)), meaning) : words(verb, meaning),
    ...detailWords(one, issue),
    ...(one.reason === null ? [] : [words(', because: ', 'muted'), span(neutralise(cut(one.reason)), meaning)]),
    ...(one.issue_id === issue.issue_id ? [] : [span(neutralise(`  (on issue ${one.issue_id.slice(0, ID_LENGTH)})`))]),
    ...(one.undone ? [words('  (undone)', 'warning')] : []),
  ];
}

function detailWords({ action, detail, undone }: IssueHistoryEntry, issue: IssueDetail): Span[] {
  if (detail === null) return action === 'assign' ? [words(' to nobody')] : [];
  const meaning = undone ? 'muted' : 'plain';
  if (action === 'undo') {
    const target = issue.history.find(({ id }) => id === detail);
    const name = target === undefined ? detail.slice(0, ID_LENGTH) : target.action;
    return [words(': '), span(neutralise(name), meaning)];
  }
  return [words(PREPOSITIONS.get(action) ?? ': ', 'muted'), span(neutralise(cut(detailText(action, detail))), meaning)];
}

const PREPOSITIONS: ReadonlyMap<string, string> = new Map([
  ['assign', ' to '],
  ['resolve', ' in '],
  ['ignore', ' '],
]);

function detailText(action: string, detail: string): string {
  if (action !== 'ignore') return detail;
  const state = { status: 'ignored', regressed: false, is_new: false, spiking: false, resolved_in: null } as const;
  return datedStateWords({ ...state, snooze: detail }).slice('ignored '.length);
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
