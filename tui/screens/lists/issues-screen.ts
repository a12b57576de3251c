import type { IssueSort } from '../../../core/contract/reader.js';
import type { Stats } from '../../../generated/reader-answers.js';
import { listLines, messageLines } from '../../components/list-lines.js';
import { issueColumns } from '../../format/issue/issue-columns.js';
import { ISSUE_TABS, listedTab, tabLabel } from '../../state/issue-tabs.js';
import { type IssuesScreen, isSameSource } from '../../state/issues-state.js';
import type { Drawing, TitleFact } from '../../state/screen-logic.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { countWithNoun, fullCount } from '../../text/counts.js';
import { type Line, span, spread, withRows, words } from '../../text/line.js';
import { timeOfDay, zoneWord } from '../../text/moments.js';
import { tabsLine } from '../../text/tabs-line.js';
import { cutToCells, literal, neutralise, type Visible } from '../../text/visible.js';
import { emptyText } from './empty-text.js';
import { filterRows } from './filter-lines.js';
import { filterPromptOf } from './filter-prompt.js';
import { issuesRows } from './list-order.js';
import { previewLines } from './preview-lines.js';
import { listAndPreview } from './preview-reads.js';
import { sinceColumns, sinceLines } from './since-lines.js';
import { SORT_LABELS } from './views-menu.js';

/** The list of issues, and below it the preview. */
export function drawIssues(state: TerminalState, screen: IssuesScreen): Drawing {
  const { columns } = state.size;
  const { list: rows, preview } = listAndPreview(state);
  const prompt = filterPromptOf(state);
  const { since, sort } = screen.wanted;
  const [filterRow, completions] =
    prompt === undefined ? [filterLine(state, screen)] : filterRows(screen, prompt, sortLine(sort), columns);
  return {
    path: since === undefined ? 'Issues' : `New since ${neutralise(since.range.name)}`,
    facts: since === undefined ? facts(state.stats) : [],
    lines: [
      ...(since === undefined ? [tabsOf(screen, columns), filterRow] : sinceLines(state, screen, since)),
      ...withRows(bodyLines(state, screen, completions), rows + 1),
      ...(preview > 0 ? previewLines(state, screen, preview) : []),
    ],
  };
}

function bodyLines(state: TerminalState, screen: IssuesScreen, completions: Line | undefined): Line[] {
  const { list, marked, gone } = screen;
  const { columns: cells } = state.size;
  const rows = issuesRows(state);
  const above = completions === undefined ? [] : [completions];
  if (list.rows.length === 0) {
    return [...above, ...messageLines(emptyText(state, screen), cells, rows + 1 - above.length)];
  }
  const look = { cells, rows, marked, muted: new Set([...gone, ...state.stale.keys()]) };
  const table = listLines(list, columnsOf(state, screen), look);
  return [...above, ...table.slice(above.length)];
}

function columnsOf(
  { size, nowMs, habits, stale }: TerminalState,
  { wanted: { tab, sort, since }, shape, since: rates }: IssuesScreen,
) {
  const hasStates = since === undefined && (tab === 'all' || tab === 'ignored' || tab === 'resolved');
  const numbers = since && sinceColumns(since.kind, rates);
  return issueColumns({ ...habits, width: size.columns, nowMs, shape, hasStates, sort, numbers, stale });
}

/** The lowest rank is left out first when the title bar is too narrow. */
const RANKS = { events: 0, rejected: 1, failing: 2 } as const;

/** What the title bar says of the store. */
export function facts(stats: Stats | undefined): readonly TitleFact[] {
  if (stats === undefined) return [];
  const { records } = stats.dead_letters;
  // Issues also count sampled-out events, and not those that repeat others.
  const stored =
    stats.sampled || stats.repeated
      ? literal(`${fullCount(stats.events)} stored`)
      : countWithNoun(stats.events, 'event');
  const rejected = records > 0 && span(literal(`${fullCount(records)} rejected: S`), 'warning');
  const failing = failingExportersWarning(stats);
  return [
    ...(rejected === false ? [] : [{ text: rejected, rank: RANKS.rejected }]),
    ...(failing === undefined ? [] : [{ text: span(failing, 'error'), rank: RANKS.failing }]),
    { text: span(stored), rank: RANKS.events },
  ];
}

function tabsOf({ wanted, counts }: IssuesScreen, columns: number): Line {
  return tabsLine(
    ISSUE_TABS.map((name) => ({ name: tabLabel(name), count: counts?.[name] })),
    tabLabel(listedTab(wanted)),
    columns,
  );
}

function filterLine(state: TerminalState, screen: IssuesScreen): Line {
  const age = screen.list.rows.length === 0 ? [] : asOfLine(state);
  return spread(filterWords(screen), [...age, ...orderLine(screen)], state.size.columns);
}

function filterWords({ wanted, marked }: IssuesScreen): Line {
  if (marked.size > 0) return [words(' '), span(fullCount(marked.size), 'marked'), words(' marked', 'marked')];
  if (wanted.query === '') return [words(' / filter', 'muted')];
  return [words(' / ', 'label'), span(neutralise(wanted.query))];
}

function asOfLine({ connection, habits }: TerminalState): Line {
  if (connection.kind !== 'lost') return [];
  const clock = { nowMs: connection.sinceMs, zone: habits.time };
  const time = timeOfDay(new Date(connection.sinceMs).toISOString(), clock);
  return [words('as of ', 'warning'), span(time, 'warning'), words(` ${zoneWord(habits.time)}    `, 'warning')];
}

function orderLine({ wanted, shown, waiting, marked }: IssuesScreen): Line {
  const counts = [
    waiting.added > 0 && `${fullCount(waiting.added)} new`,
    waiting.moved > 0 && `${fullCount(waiting.moved)} moved`,
  ];
  const waits = counts.filter((count) => count !== false).join(', ');
  const behind = waits === '' ? [] : [words(`${waits}: g    `, 'warning')];
  const loading = shown === undefined || isSameSource(wanted, shown) ? [] : [words('loading…    ', 'muted')];
  const clears = wanted.query === '' || marked.size > 0 ? [] : [words('Esc clears    ', 'muted')];
  return [...loading, ...behind, ...clears, ...sortLine(wanted.sort)];
}

function sortLine(sort: IssueSort): Line {
  return [words(`by ${SORT_LABELS[sort].words} `, 'muted')];
}

const MAX_TITLE_CELLS = 24;

/** A short warning with the key for details; undefined if no exporter fails. */
function failingExportersWarning(stats: Stats | undefined): Visible | undefined {
  const failing = Object.entries(stats?.exporters ?? {}).filter(([, exporter]) => exporter.failing);
  const [first, ...others] = failing.map(([id]) => id);
  if (first === undefined) return undefined;
  if (others.length > 0) return literal(`! ${fullCount(others.length + 1)} exporters fail: S`);
  return literal(`! ${cutToCells(first, MAX_TITLE_CELLS)} fails: S`);
}
