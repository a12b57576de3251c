import { messageLines } from '../../components/message-lines.js';
import { stackSummary, withoutLoneError } from '../../format/event/stack-summary.js';
import type { EventPreview, IssueScreen } from '../../state/issue-state.js';
import { selectedRow } from '../../state/list-selection.js';
import { EVENT_ROWS } from '../../state/row-kinds.js';
import type { Drawing, TitleFact } from '../../state/screen-logic.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { fullCount } from '../../text/counts.js';
import { cutLine, type Line, span, withRows, words } from '../../text/line.js';
import { columnTime } from '../../text/moments.js';
import { cutToCells, literal } from '../../text/visible.js';
import { previewRule } from '../lists/preview-lines.js';
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

/** Ids and tags beside each other, and characters of an extra value that are looked at. */
const MAX_IDS = 8;
const MAX_VALUE = 500;

/** The selected event: a rule with its time, its message and stack, then its ids, extra values and file. */
function eventPreview(state: TerminalState, screen: IssueScreen, rows: number): readonly Line[] {
  const row = selectedRow(screen.list, EVENT_ROWS);
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
  const json = (one: unknown): string => (JSON.stringify(one) ?? '').slice(0, MAX_VALUE);
  if (!isObject) return json(value);
  return Object.entries(value)
    .slice(0, MAX_IDS)
    .map(([name, one]) => `${name} ${json(one)}`)
    .join(', ');
}
