import type { IssueDetail } from '../../../generated/reader-answers.js';
import { type HistoryEntry, historyEntries } from '../../format/issue/history-entries.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { firstVisibleIndex } from '../../text/columns.js';
import { type Line, lineCells, type Span, span, spread, words, wrapLine } from '../../text/line.js';
import { type Clock, dayWords, timeOfDay } from '../../text/moments.js';
import { literal, neutralise } from '../../text/visible.js';

/** Cells of the margin, the time and the blanks behind it. */
const TEXT_AT = 12;
const MARGIN = 2;
const TIME_CELLS = 8;
/** Blanks between a text and what stands at the right edge. */
const GAP = 2;

interface MadeHistory {
  /** Width, zone and day. */
  readonly key: string;
  readonly entries: readonly HistoryEntry[];
  readonly lines: readonly { readonly index: number | undefined; readonly line: Line }[];
}

// Moves, position and drawing need the same lines for every key, and a history may be a megabyte.
const made = new WeakMap<IssueDetail, MadeHistory>();

function historyOf({ size, habits, nowMs }: TerminalState, issue: IssueDetail): MadeHistory {
  const clock: Clock = { nowMs, zone: habits.time };
  const key = `${size.columns} ${habits.time} ${Math.floor(nowMs / 60_000)}`;
  const known = made.get(issue);
  if (known?.key === key) return known;
  const entries = historyEntries(issue, clock);
  const lines = entries.flatMap((entry, index) => {
    const day = dayWords(entry.at, clock);
    const before = entries[index - 1];
    const isNewDay = before === undefined || dayWords(before.at, clock) !== day;
    const heading = isNewDay ? [{ index: undefined, line: [words(' '.repeat(MARGIN)), span(day, 'label')] }] : [];
    return [...heading, ...entryLines(entry, clock, size.columns).map((line) => ({ index, line }))];
  });
  const history = { key, entries, lines };
  made.set(issue, history);
  return history;
}

function entryLines({ at, actor, text, undone }: HistoryEntry, clock: Clock, columns: number): Line[] {
  const meaning = undone === undefined ? 'plain' : 'muted';
  const shown = actor !== null && text.startsWith(actor) ? actor : '';
  const body: Span[] = [
    span(neutralise(shown), undone === undefined ? 'strong' : 'muted'),
    span(neutralise(text.slice(shown.length)), meaning),
  ];
  const head = [
    words(' '.repeat(MARGIN)),
    span(literal(timeOfDay(at, clock).padEnd(TIME_CELLS)), 'muted'),
    words('  '),
  ];
  if (undone === undefined) return wrapLine([...head, ...body], columns, TEXT_AT);
  const right = [span(neutralise(undone), 'warning')];
  const rows = wrapLine([...head, ...body], columns, TEXT_AT);
  const [first = []] = rows;
  if (rows.length === 1 && lineCells(first) + GAP + lineCells(right) <= columns) return [spread(first, right, columns)];
  return [...rows, ...wrapLine([words(' '.repeat(TEXT_AT)), ...right], columns, TEXT_AT)];
}

/** The entries that the cursor can select. */
export function entriesOf(state: TerminalState, issue: IssueDetail | undefined): readonly HistoryEntry[] {
  return issue === undefined ? [] : historyOf(state, issue).entries;
}

/** The visible rows of the history with its cursor. */
export function historyLines(
  state: TerminalState,
  issue: IssueDetail,
  { selected, rows }: { selected: number; rows: number },
): readonly Line[] {
  const { lines } = historyOf(state, issue);
  const cursor = lines.findIndex(({ index }) => index === selected);
  const height = lines.filter(({ index }) => index === selected).length;
  // All of the selected entry is visible if it fits.
  const middle = height < rows ? cursor + Math.floor(height / 2) : cursor + Math.floor(rows / 2);
  const top = firstVisibleIndex(Math.max(0, middle), { count: lines.length, rows });
  return lines.slice(top, top + rows).map(({ line }, row) => {
    const isCursor = top + row === cursor;
    return isCursor
      ? [words('› ', 'selected'), ...line.slice(1).map((one) => ({ ...one, meaning: 'selected' as const }))]
      : line;
  });
}
