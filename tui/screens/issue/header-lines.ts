import { histogramLines, histogramWords } from '../../format/event/histogram-view.js';
import { numbersLine, titleLine, whereLine } from '../../format/issue/issue-header.js';
import { ISSUE_PANES, type IssuePane, type IssueScreen } from '../../state/issue-state.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { ASCII_SIGNS, type Signs, UNICODE_SIGNS } from '../../text/characters.js';
import { type Line, type Span, span, spread, words } from '../../text/line.js';
import { tabsLine } from '../../text/tabs-line.js';
import { betweenWords, durationWords, zoneWord } from '../../text/time-words.js';
import { neutralise } from '../../text/visible.js';
import { barCells, type IssueLayout } from './issue-layout.js';
import { effectiveQuery } from './time-range.js';

const MARGIN = words(' ');

/** The rows between the title bar and the pane. */
export function headerLines(state: TerminalState, screen: IssueScreen, layout: IssueLayout): readonly Line[] {
  const { issue } = screen;
  const clock = { nowMs: state.nowMs, zone: state.habits.time };
  return [
    ...(layout.hasTitle ? [titleLine(issue)] : []),
    ...(layout.hasNumbers ? [numbersLine(issue, clock)] : []),
    ...(layout.hasPlace ? [whereLine(issue)] : []),
    ...histogramRowsOf(state, screen, layout),
    ...(layout.hasTabs ? [tabsOf(screen, state.size.columns)] : []),
    ...(layout.hasFilter ? [filterLine(state, screen)] : []),
  ];
}

/** The signs that the terminal can show. */
export function signsOf({ habits }: TerminalState): Signs {
  return habits.characters === 'ascii' ? ASCII_SIGNS : UNICODE_SIGNS;
}

/** The histogram; empty rows of the same number before it is loaded. */
function histogramRowsOf(
  state: TerminalState,
  { summary, range }: IssueScreen,
  { histogramRows }: IssueLayout,
): Line[] {
  if (histogramRows === 0) return [];
  const { time: zone, isForScreenReader } = state.habits;
  const histogram = summary?.summary.histogram;
  if (isForScreenReader) {
    const texts = histogram === undefined ? [] : histogramWords(histogram, zone);
    return Array.from({ length: histogramRows }, (_, index) => [MARGIN, ...(texts[index] ?? [])]);
  }
  const rows = histogramRows + 1 + (range === undefined ? 0 : 1);
  const view = { cells: barCells(state), rows: histogramRows, signs: signsOf(state), zone, range };
  const lines = histogram === undefined ? [] : histogramLines(histogram, view);
  return Array.from({ length: rows }, (_, index) => [MARGIN, ...(lines[index] ?? [])]);
}

function tabsOf(screen: IssueScreen, columns: number): Line {
  const counts = paneCounts(screen);
  return tabsLine(
    ISSUE_PANES.map((name) => ({ name, count: counts[name] })),
    screen.pane,
    columns,
  );
}

function paneCounts({ issue, detail, related }: IssueScreen): Partial<Record<IssuePane, number>> {
  const relatedCount = related?.length ?? detail?.related.length;
  return {
    events: issue.count,
    ...(detail !== undefined && { history: detail.history.length }),
    ...(relatedCount !== undefined && { related: relatedCount }),
  };
}

/** The range and the filter; on the right, whether events are loading. */
function filterLine(state: TerminalState, screen: IssueScreen): Line {
  const { query, range, shownQuery } = screen;
  const filters: Span[] = [
    ...(range === undefined ? [] : rangeWords(range, state.habits.time)),
    ...(query === '' ? [] : [words('Filter: ', 'label'), span(neutralise(query))]),
  ];
  const isLoading = shownQuery !== undefined && shownQuery !== effectiveQuery(screen);
  return spread(
    [MARGIN, ...filters],
    [...(isLoading ? [words('  loading…', 'muted')] : []), MARGIN],
    state.size.columns,
  );
}

function rangeWords({ from, to }: { from: string; to: string }, zone: 'utc' | 'local'): Span[] {
  const length = Date.parse(to) - Date.parse(from);
  return [
    words('Only ', 'label'),
    span(betweenWords(from, to, zone)),
    words(` ${zoneWord(zone)}, `, 'muted'),
    span(durationWords(length)),
    words('  '),
  ];
}
