import { screenRows } from '../../components/layout.js';
import type { IssueScreen } from '../../state/issue-state.js';
import type { TerminalState } from '../../state/terminal-state.js';
import type { Line } from '../../text/line.js';
import { isPreviewWanted } from '../lists/preview-reads.js';
import { barsOf } from './issue-bars.js';

/** Which rows the header has, and how many are left for the pane. */
export interface IssueLayout {
  readonly hasTabs: boolean;
  readonly hasTitle: boolean;
  readonly hasFilter: boolean;
  readonly hasNumbers: boolean;
  readonly hasPlace: boolean;
  readonly hasState: boolean;
  readonly hasSuspect: boolean;
  /** The bars or the times of few events. */
  readonly bars: readonly Line[];
  /** Rows of the selected event below the list, its rule included; 0: not shown. */
  readonly previewRows: number;
  /** Includes the headings of a table. */
  readonly paneRows: number;
  /** Cells of the facets beside the events; 0: not shown there. */
  readonly facetCells: number;
}

/** The title bar. */
const FIXED_ROWS = 1;
/** Headings and one row. */
const MIN_PANE_ROWS = 2;
/** Rows of the window from which tabs, the third and fourth line and bars are shown. */
const TABS_FROM = 12;
const NUMBERS_FROM = 16;
const BARS_FROM = 20;
/** Columns from which facets stand beside the events. */
const WIDE_FROM = 140;
const FACET_CELLS = 54;
/** The smallest window with the selected event below the list, and rows of that event. */
const PREVIEW_FROM = { rows: 40, columns: 110 };
const PREVIEW_ROWS = 8;

/** Lays out the screen; the least important header rows are left out first, and the pane keeps two rows. */
export function issueLayout(state: TerminalState, screen: IssueScreen): IssueLayout {
  let room = screenRows(state) - FIXED_ROWS - MIN_PANE_ROWS;
  const reserve = (rows: number): boolean => {
    const fits = rows > 0 && rows <= room;
    if (fits) room -= rows;
    return fits;
  };
  const { rows, columns } = state.size;
  const hasTabs = rows >= TABS_FROM && reserve(1);
  const hasTitle = reserve(1);
  const hasFilter = reserve(screen.query !== '' || screen.range !== undefined ? 1 : 0);
  const hasPlace = reserve(1);
  const hasNumbers = rows >= NUMBERS_FROM && reserve(1);
  const hasState = rows >= NUMBERS_FROM && reserve(1);
  const hasSuspect = rows >= NUMBERS_FROM && reserve(screen.detail?.suspect_commit == null ? 0 : 1);
  const bars: readonly Line[] = rows >= BARS_FROM ? barsOf(state, screen) : [];
  const isWide = screen.pane === 'events' && columns >= WIDE_FROM && !state.habits.isForScreenReader;
  const shownBars = reserve(bars.length) ? bars : [];
  const hasPreview = screen.pane === 'events' && screen.reading !== 'gone';
  const previewRows = hasPreview ? previewRowsOf(state) : 0;
  return {
    hasTabs,
    hasTitle,
    hasFilter,
    hasNumbers,
    hasPlace,
    hasState,
    hasSuspect,
    bars: shownBars,
    previewRows,
    paneRows: Math.max(1, room + MIN_PANE_ROWS - previewRows),
    facetCells: isWide ? FACET_CELLS : 0,
  };
}

/** An overlay covers the lowest rows of the event, so that the list stays as it is. */
function previewRowsOf(state: TerminalState): number {
  const { rows, columns } = state.size;
  const hasRoom = rows >= PREVIEW_FROM.rows && columns >= PREVIEW_FROM.columns;
  if (!hasRoom || !isPreviewWanted(state, hasRoom)) return 0;
  return Math.max(0, Math.max(PREVIEW_ROWS, Math.floor(rows / 2) - 17) - (rows - 1 - screenRows(state)));
}

/** Rows of the list of events, below its headings. */
export function eventRowsOf(state: TerminalState, screen: IssueScreen): number {
  return Math.max(1, issueLayout(state, screen).paneRows - 1);
}
