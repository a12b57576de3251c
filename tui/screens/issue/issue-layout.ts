import { screenRows } from '../../components/layout.js';
import type { IssueScreen } from '../../state/issue-state.js';
import type { TerminalState } from '../../state/terminal-state.js';

/** What of the issue is shown, and how many rows are left for the pane. */
export interface IssueLayout {
  readonly hasTabs: boolean;
  readonly hasTitle: boolean;
  readonly hasFilter: boolean;
  readonly hasNumbers: boolean;
  readonly hasPlace: boolean;
  /** Rows of the bars; 0: no histogram. */
  readonly histogramRows: number;
  /** Rows of the pane, headings of a table included. */
  readonly paneRows: number;
  /** Cells of the facets beside the events; 0: they are not shown there. */
  readonly facetCells: number;
}

/** The title bar. */
const FIXED_ROWS = 1;
/** Headings and a row of a list. */
const MIN_PANE_ROWS = 2;
/** Windows with fewer rows have lower histograms: none below the first, a row below the second; four from the third on. */
const HISTOGRAM_FROM = 14;
const HIGHER_FROM = 20;
const HIGHEST_FROM = 40;
const WIDE_FROM = 150;
const FACET_CELLS = 56;
/** Parts of a histogram that a reader counts at most. */
const MAX_BUCKETS = 240;
/** Blanks at both sides of the bars. */
const MARGINS = 2;

/** What there is room for. A pane keeps at least two rows; what is needed least gives way first. */
export function issueLayout(state: TerminalState, screen: IssueScreen): IssueLayout {
  let room = screenRows(state) - FIXED_ROWS - MIN_PANE_ROWS;
  const take = (rows: number): boolean => {
    const fits = rows > 0 && rows <= room;
    if (fits) room -= rows;
    return fits;
  };
  const hasTabs = take(1);
  const hasTitle = take(1);
  const hasFilter = take(isFiltered(screen) ? 1 : 0);
  const hasNumbers = take(1);
  const hasPlace = take(1);
  const bars = barRows(state);
  const around = state.habits.isForScreenReader ? 0 : 1 + (screen.range === undefined ? 0 : 1);
  const hasHistogram = take(bars === 0 ? 0 : bars + around);
  const isWide = screen.pane === 'events' && state.size.columns >= WIDE_FROM && !state.habits.isForScreenReader;
  return {
    hasTabs,
    hasTitle,
    hasFilter,
    hasNumbers,
    hasPlace,
    histogramRows: hasHistogram ? bars : 0,
    paneRows: Math.max(1, room + MIN_PANE_ROWS),
    facetCells: isWide ? FACET_CELLS : 0,
  };
}

/** Rows of the list of events, below its headings. */
export function eventRowsOf(state: TerminalState, screen: IssueScreen): number {
  return Math.max(1, issueLayout(state, screen).paneRows - 1);
}

/** Cells of the histogram's bars. */
export function barCells({ size }: TerminalState): number {
  return Math.max(1, size.columns - MARGINS);
}

/** Parts to ask a histogram for: one for each cell. */
export function bucketsOf(state: TerminalState): number {
  return Math.min(MAX_BUCKETS, barCells(state));
}

/** Whether something is to be said of what is listed. */
function isFiltered({ query, range, paused }: IssueScreen): boolean {
  return query !== '' || range !== undefined || paused !== undefined;
}

function barRows({ size: { rows }, habits }: TerminalState): number {
  if (rows < HISTOGRAM_FROM) return 0;
  if (habits.isForScreenReader) return rows >= HIGHER_FROM ? 2 : 1;
  if (rows >= HIGHEST_FROM) return 4;
  return rows >= HIGHER_FROM ? 2 : 1;
}
