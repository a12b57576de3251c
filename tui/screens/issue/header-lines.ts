import { textOf } from '../../format/issue/fit-title.js';
import { historyCount } from '../../format/issue/history-entries.js';
import { numbersLine, placeLine } from '../../format/issue/issue-head.js';
import { issueTitle } from '../../format/issue/issue-titles.js';
import { stateLine } from '../../format/issue/state-phrases.js';
import { ISSUE_PANES, type IssuePane, type IssueScreen } from '../../state/issue-state.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { type Line, lineCells, type Span, span, spread, words } from '../../text/line.js';
import { type Clock, momentWords } from '../../text/moments.js';
import { tabsLine } from '../../text/tabs-line.js';
import { zoneWord } from '../../text/time-words.js';
import { cutToCells, neutralise } from '../../text/visible.js';
import type { IssueLayout } from './issue-layout.js';
import { relatedCount } from './related-lines.js';
import { effectiveQuery } from './time-range.js';

const MARGIN = words('  ');
const WINDOW_KEYS: Line = [words('+ - window  [ ] move  0 all ', 'muted')];

/** The rows between the title bar and the pane. */
export function headerLines(state: TerminalState, screen: IssueScreen, layout: IssueLayout): readonly Line[] {
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
    ...layout.bars,
    ...(layout.hasTabs ? [tabsOf(screen, columns)] : []),
    ...(layout.hasFilter ? [filterLine(state, screen, clock)] : []),
  ];
}

/** The tabs, and beside them the keys of the time window where they have room. */
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

/** The time window and the filter; on the right, whether events are loading. */
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
