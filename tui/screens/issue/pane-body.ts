import type { EventsSummary } from '../../../generated/reader-answers.js';
import { listLines } from '../../components/list-lines.js';
import { eventColumns } from '../../format/event/event-columns.js';
import {
  beside,
  differingFacets,
  facetChoices,
  facetLine,
  facetRows,
  facetScope,
  sameLines,
} from '../../format/event/facet-lines.js';
import type { IssueScreen } from '../../state/issue-state.js';
import { type Move, moveIndex, moveInList } from '../../state/moves.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { firstVisibleIndex } from '../../text/columns.js';
import { countWithNoun, fullCount } from '../../text/counts.js';
import { type Line, words } from '../../text/line.js';
import { momentWords } from '../../text/moments.js';
import { entriesOf, historyLines } from './history-lines.js';
import { choicesOf } from './issue-filter.js';
import { eventRowsOf, type IssueLayout, issueLayout } from './issue-layout.js';
import { nothingRelated, relatedIssues, relatedLines } from './related-lines.js';
import { areFacetsCurrent, shownFacets } from './summary-reads.js';
import { whyLines } from './why-lines.js';

const RULE_CELLS = 2;

/** The rows of the visible pane; undefined if it is empty. */
export function paneBody(state: TerminalState, screen: IssueScreen, layout: IssueLayout): readonly Line[] | undefined {
  if (screen.reading === 'gone') return undefined;
  switch (screen.pane) {
    case 'events':
      return eventsBody(state, screen, layout);
    case 'facets':
      return facetsBody(state, screen, layout);
    case 'related':
      return relatedLines(state, screen, {
        selected: Math.min(screen.index, lastIndex(state, screen)),
        rows: layout.paneRows,
      });
    case 'history': {
      const look = { selected: Math.min(screen.index, lastIndex(state, screen)), rows: layout.paneRows - 1 };
      return screen.detail && [[], ...historyLines(state, screen.detail, look)];
    }
    case 'why': {
      const top = Math.min(screen.index, lastIndex(state, screen));
      return textOfPane(state, screen)?.slice(top, top + layout.paneRows);
    }
  }
}

function eventsBody(state: TerminalState, screen: IssueScreen, layout: IssueLayout): readonly Line[] | undefined {
  const { list } = screen;
  const { paneRows, facetCells } = layout;
  if (list.rows.length === 0) return undefined;
  const cells = state.size.columns - (facetCells === 0 ? 0 : facetCells + RULE_CELLS);
  const columns = eventColumns({ rows: list.rows, width: cells, nowMs: state.nowMs, zone: state.habits.time });
  const table = listLines(list, columns, { cells, rows: paneRows - 1 });
  if (facetCells === 0) return table;
  const summary = shownFacets(screen)?.summary;
  const isPart = summary !== undefined && summary.looked_at < summary.total;
  const facets = [
    ...(isPart ? [scopeLine(screen, summary)] : []),
    ...facetLines(state, screen, { cells: facetCells, margin: 0, selected: undefined }),
  ];
  return beside(table, facets, { leftCells: cells, rows: paneRows });
}

function facetsBody(state: TerminalState, screen: IssueScreen, { paneRows }: IssueLayout): readonly Line[] | undefined {
  const read = shownFacets(screen);
  if (read === undefined) return undefined;
  const rows = facetRows(differingFacets(read.summary));
  const chosen = facetChoices(rows)[Math.min(screen.index, lastIndex(state, screen))];
  const selected = chosen === undefined ? 0 : rows.indexOf(chosen);
  const [extent = [], ...lines] = [
    [words('  '), ...scopeLine(screen, read.summary)],
    ...facetLines(state, screen, { cells: state.size.columns, margin: 2, selected }),
  ];
  const top = firstVisibleIndex(selected, { count: lines.length, rows: paneRows - 1 });
  return [extent, ...lines.slice(top, top + paneRows - 1)];
}

function scopeLine(screen: IssueScreen, summary: EventsSummary): Line {
  const scope = facetScope(summary);
  return areFacetsCurrent(screen) ? scope : [...scope, words('  counting…', 'muted')];
}

function facetLines(
  state: TerminalState,
  screen: IssueScreen,
  { cells, margin, selected }: { cells: number; margin: number; selected: number | undefined },
): Line[] {
  const read = shownFacets(screen);
  if (read === undefined) return [[words(`${' '.repeat(margin)}Counting…`, 'muted')]];
  const { summary } = read;
  const look = { matched: summary.matched, cells, margin, hasBars: !state.habits.isForScreenReader };
  const rows = facetRows(differingFacets(summary));
  const label = `same in all ${fullCount(summary.matched)}: `;
  const same = summary.matched === 0 ? [] : sameLines(label, screen.issue, summary, Math.min(cells - margin, 100));
  return [
    ...rows.map((row, index) => facetLine(row, { ...look, isSelected: index === selected })),
    ...(rows.length === 0 || same.length === 0 ? [] : [[]]),
    ...same.map((line): Line => [words(' '.repeat(margin)), ...line]),
  ];
}

const GONE = 'This issue is gone. It was probably removed by retention.';

/** The text of an empty pane. */
export function emptyWords(state: TerminalState, screen: IssueScreen): readonly string[] {
  const { reading, pane, detail, related } = screen;
  if (reading === 'gone') return [GONE];
  switch (pane) {
    case 'events':
      return [eventsWords(state, screen)];
    case 'facets':
      return ['Counting…'];
    case 'why':
    case 'history':
      return detail === undefined ? ['Loading…'] : [];
    case 'related':
      return [related === undefined ? 'Loading…' : nothingRelated(related)];
  }
}

function eventsWords({ nowMs, habits }: TerminalState, { reading, query, range, issue }: IssueScreen): string {
  if (reading !== 'loaded') return 'Loading…';
  if (query !== '') return 'No event matches. Esc clears the filter.';
  const clock = { nowMs, zone: habits.time };
  if (range !== undefined) {
    const [from, to, latest] = [range.from, range.to, issue.last_seen].map((time) => momentWords(time, clock));
    return `No events from ${from} to ${to}. The latest was at ${latest}.   0 shows all`;
  }
  const { count, removed_events: removed } = issue;
  if (count === 0 && removed > 0) return `All ${countWithNoun(removed, 'event')} were removed by retention.`;
  return 'No events left.';
}

/** Moves the selection of a list, or the first visible line of a text. */
export function moveInPane(state: TerminalState, screen: IssueScreen, move: Move): IssueScreen {
  if (screen.pane === 'events') {
    const list = moveInList(screen.list, move, eventRowsOf(state, screen));
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
  if (screen.pane === 'history') return Math.max(0, entriesOf(state, screen.detail).length - 1);
  if (screen.pane === 'related') return Math.max(0, relatedIssues(screen).length - 1);
  const lines = textOfPane(state, screen)?.length ?? 0;
  return Math.max(0, lines - issueLayout(state, screen).paneRows);
}

function textOfPane({ size }: TerminalState, { pane, detail }: IssueScreen): readonly Line[] | undefined {
  return detail === undefined || pane !== 'why' ? undefined : whyLines(detail, size.columns);
}
