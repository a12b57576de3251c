import { cutText } from '../../../core/event/text.js';
import { messageLines } from '../../components/list-lines.js';
import { stackSummary, withoutLoneError } from '../../format/event/stack-summary.js';
import { textOf } from '../../format/issue/fit-title.js';
import { historyCount } from '../../format/issue/history-entries.js';
import { numbersLine, placeLine, suspectText } from '../../format/issue/issue-head.js';
import { issueTitle } from '../../format/issue/issue-titles.js';
import { stateLine } from '../../format/issue/state-phrases.js';
import { type EventPreview, ISSUE_PANES, type IssuePane, type IssueScreen } from '../../state/issue-state.js';
import { selectedRow } from '../../state/paged-list.js';
import type { Drawing, TitleFact } from '../../state/screen-logic.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { fullCount } from '../../text/counts.js';
import { cutLine, type Line, lineCells, type Span, span, spread, withRows, words } from '../../text/line.js';
import { type Clock, columnTime, momentWords, zoneWord } from '../../text/moments.js';
import { tabsLine } from '../../text/tabs-line.js';
import { cutToCells, literal, neutralise } from '../../text/visible.js';
import { previewRule } from '../lists/preview-lines.js';
import { indexInList } from './change-issue.js';
import { type IssueLayout, issueLayout } from './issue-layout.js';
import { emptyWords, paneBody } from './pane-body.js';
import { relatedCount } from './related-lines.js';
import { effectiveQuery } from './time-range.js';

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

function factsOf(state: TerminalState, screen: IssueScreen): readonly TitleFact[] {
  const index = indexInList(state, screen);
  const of = literal(`${fullCount(index + 1)} of ${fullCount(state.stack[0].total)}`);
  return [
    ...(screen.list.isBehind ? [{ text: words('newer events: g', 'warning'), rank: 1 }] : []),
    ...(index < 0 ? [] : [{ text: span(of), rank: 0 }]),
  ];
}

/** Ids and tags beside each other, and characters of an extra value that are looked at. */
const MAX_IDS = 8;
const MAX_VALUE = 500;

function eventPreview(state: TerminalState, screen: IssueScreen, rows: number): readonly Line[] {
  const row = selectedRow(screen.list);
  if (row === undefined || rows === 0) return [];
  const cells = state.size.columns - 3;
  const time = columnTime(row.timestamp, { nowMs: state.nowMs, zone: state.habits.time }).trim();
  const read = screen.preview?.eventId === row.event_id ? screen.preview : undefined;
  const text = [[span(cutToCells(row.message, cells), 'strong')], ...bodyLines(read, cells, rows - 2)];
  const lines = text.map((line): Line => [words('  '), ...cutLine(line, cells)]);
  return [previewRule(state, literal(`event ${time}`)), ...lines].slice(0, rows);
}

/** Stack and extra values share the rows that ids and file leave. */
function bodyLines(read: EventPreview | undefined, cells: number, rows: number): Line[] {
  if (read === undefined) return [[words('Loading…', 'muted')]];
  if (read.event === undefined) return [[words('This event is gone.', 'muted')]];
  const { normalized, raw } = read.event;
  const { request_id: request, user_id: user, tags } = normalized;
  const ids = [['request', request], ['user', user], ...Object.entries(tags)].filter(([, id]) => id);
  const named = ids.slice(0, MAX_IDS).flatMap(([name = '', id]): Line => {
    return [span(cutToCells(`${name} `, cells), 'label'), span(cutToCells(`${id}   `, cells))];
  });
  const extra = Object.entries(normalized.extra).slice(0, rows);
  const stack = stackSummary(withoutLoneError(read.stack), cells).slice(
    0,
    Math.max(1, rows - 2 - Math.min(1, extra.length)),
  );
  const values = extra.slice(0, Math.max(0, rows - 2 - stack.length)).map(([name, value]): Line => {
    return [span(cutToCells(`extra.${name}: `, cells), 'label'), span(cutToCells(valueText(value), cells))];
  });
  const file = span(cutToCells(`${raw.path} (line ${raw.line})`, cells));
  return [...stack, ...(named.length > 0 ? [named] : []), ...values, [words('file ', 'label'), file]];
}

/** `idle 0, size 20`. */
function valueText(value: unknown): string {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const json = (one: unknown): string => cutText(JSON.stringify(one) ?? '', MAX_VALUE);
  if (!isObject) return json(value);
  return Object.entries(value)
    .slice(0, MAX_IDS)
    .map(([name, one]) => `${name} ${json(one)}`)
    .join(', ');
}

const MARGIN = words('  ');
const WINDOW_KEYS: Line = [words('+ - window  [ ] move  0 all ', 'muted')];

function headerLines(state: TerminalState, screen: IssueScreen, layout: IssueLayout): readonly Line[] {
  const { issue, detail, list } = screen;
  const { columns } = state.size;
  const clock: Clock = { nowMs: state.nowMs, zone: state.habits.time };
  const latest = list.rows[0];
  const title = span(cutToCells(textOf(issueTitle(issue).whole), columns - 2), 'strong');
  const stateText = span(cutToCells(stateLine(issue, detail, clock), columns - 2));
  return [
    ...(layout.hasTitle ? [[MARGIN, title]] : []),
    ...(layout.hasPlace ? [[MARGIN, ...placeLine(issue, latest, true)]] : []),
    ...(layout.hasNumbers ? [[MARGIN, ...numbersLine(issue, latest, clock)]] : []),
    ...(layout.hasState ? [[MARGIN, stateText]] : []),
    ...(layout.hasSuspect ? [[MARGIN, ...suspectLine(detail, columns - 2)]] : []),
    ...layout.bars,
    ...(layout.hasTabs ? [tabsOf(screen, columns)] : []),
    ...(layout.hasFilter ? [filterLine(state, screen, clock)] : []),
  ];
}

function suspectLine(detail: IssueScreen['detail'], cells: number): Line {
  const label = words('suspect commit ', 'label');
  return cutLine([label, span(neutralise((detail && suspectText(detail)) ?? ''))], cells);
}

function tabsOf(screen: IssueScreen, columns: number): Line {
  const counts = paneCounts(screen);
  const tabs = tabsLine(
    ISSUE_PANES.map((name) => ({ name: PANE_NAMES[name], count: counts[name] })),
    PANE_NAMES[screen.pane],
    columns,
  );
  const hasRoom = lineCells(tabs) + lineCells(WINDOW_KEYS) < columns;
  return hasRoom ? spread(tabs, WINDOW_KEYS, columns) : tabs;
}

const PANE_NAMES: Readonly<Record<IssuePane, string>> = {
  events: 'Events',
  facets: 'Facets',
  why: 'Why',
  history: 'History',
  related: 'Related',
};

function paneCounts(screen: IssueScreen): Partial<Record<IssuePane, number>> {
  const { issue, detail } = screen;
  const related = relatedCount(screen);
  return {
    events: issue.count,
    ...(detail !== undefined && { history: historyCount(detail) }),
    ...(related !== undefined && { related }),
  };
}

function filterLine(state: TerminalState, screen: IssueScreen, clock: Clock): Line {
  const { query, range, span: length, shownQuery } = screen;
  const filters: Span[] = [
    ...(range === undefined ? [] : [words('Only ', 'label'), ...windowWords(range, clock), words(`, ${length}  `)]),
    ...(query === '' ? [] : [words('Filter: ', 'label'), span(neutralise(query))]),
  ];
  const isLoading = shownQuery !== undefined && shownQuery !== effectiveQuery(screen);
  return spread([MARGIN, ...filters], isLoading ? [words('  loading… ', 'muted')] : [], state.size.columns);
}

/** `14:00 to 15:00 UTC`. */
function windowWords({ from, to }: { from: string; to: string }, clock: Clock): Line {
  const zone = words(` ${zoneWord(clock.zone)}`, 'muted');
  return [span(momentWords(from, clock)), words(' to '), span(momentWords(to, clock)), zone];
}
