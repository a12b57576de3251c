import { screenRows } from '../../components/layout.js';
import type { IssueScreen } from '../../state/issue-state.js';
import type { TerminalState } from '../../state/terminal-state.js';

/** Which rows the header has, and how many are left for the pane. */
export interface IssueLayout {
  readonly hasTabs: boolean;
  readonly hasTitle: boolean;
  readonly hasFilter: boolean;
  readonly hasNumbers: boolean;
  readonly hasPlace: boolean;
  /** Rows of the bars; 0: without a histogram. */
  readonly histogramRows: number;
  /** Includes the headings of a table. */
  readonly paneRows: number;
  /** Cells of the facets beside the events; 0: not shown there. */
  readonly facetCells: number;
}

/** The title bar. */
const FIXED_ROWS = 1;
/** Headings and one row. */
const MIN_PANE_ROWS = 2;
/** Rows of the window from which the histogram has one, two and four rows. */
const HISTOGRAM_FROM = 14;
const HIGHER_FROM = 20;
const HIGHEST_FROM = 40;
const WIDE_FROM = 150;
const FACET_CELLS = 56;
/** The maximum number of buckets of a reader. */
const MAX_BUCKETS = 240;
/** Blanks on both sides of the bars. */
const MARGINS = 2;

/** Lays out the screen; the least important header rows are left out first, and the pane keeps two rows. */
export function issueLayout(state: TerminalState, screen: IssueScreen): IssueLayout {
  let room = screenRows(state) - FIXED_ROWS - MIN_PANE_ROWS;
  const reserve = (rows: number): boolean => {
    const fits = rows > 0 && rows <= room;
    if (fits) room -= rows;
    return fits;
  };
  const hasTabs = reserve(1);
  const hasTitle = reserve(1);
  const hasFilter = reserve(screen.query !== '' || screen.range !== undefined ? 1 : 0);
  const hasNumbers = reserve(1);
  const hasPlace = reserve(1);
  const bars = barRows(state);
  const around = state.habits.isForScreenReader ? 0 : 1 + (screen.range === undefined ? 0 : 1);
  const hasHistogram = reserve(bars === 0 ? 0 : bars + around);
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

/** Buckets of the histogram: one per cell. */
export function bucketsOf(state: TerminalState): number {
  return Math.min(MAX_BUCKETS, barCells(state));
}

function barRows({ size: { rows }, habits }: TerminalState): number {
  if (rows < HISTOGRAM_FROM) return 0;
  if (habits.isForScreenReader) return rows >= HIGHER_FROM ? 2 : 1;
  if (rows >= HIGHEST_FROM) return 4;
  return rows >= HIGHER_FROM ? 2 : 1;
}
