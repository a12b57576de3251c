import type { ReleaseSummary } from '../../../generated/reader-answers.js';
import { bodyRows } from '../../components/layout.js';
import { listLines } from '../../components/list-lines.js';
import type { IssuesScreen } from '../../state/issues-state.js';
import { appendPage, mergeHead } from '../../state/list-merge.js';
import { isMove, moveInList } from '../../state/moves.js';
import { positionInList, selectedRow, wantedCursor, withSelectedVisible } from '../../state/paged-list.js';
import { valueTerm } from '../../state/query-terms.js';
import type { ScreenLogic } from '../../state/screen-logic.js';
import type { ReleasesScreen } from '../../state/status-state.js';
import {
  changeScreen,
  popScreen,
  type StateRead,
  type TerminalState,
  topScreen,
  withNotice,
  withTop,
} from '../../state/terminal-state.js';
import type { Column } from '../../text/columns.js';
import { countWithNoun, shortCount } from '../../text/counts.js';
import { type Line, span, words } from '../../text/line.js';
import { relativeTime } from '../../text/moments.js';
import { sparkline, trendInWords } from '../../text/sparkline.js';
import { copyText } from '../../triage/copy-menu.js';

const FIRST_ROWS = 50;
/** As many as the reader returns. */
const ALL_ROWS = 500;
/** The cursor of the rows behind the first ones: releases have no pages. */
const REST = 'rest';

/** The releases; each leads to its new issues, those that came back, and those that are gone. */
export const RELEASES_LOGIC: ScreenLogic<ReleasesScreen> = {
  keyScope: () => ({ screen: 'releases' }),
  run: (state, screen, command) => {
    const { list } = screen;
    if (isMove(command)) {
      return withTop(state, { ...screen, list: moveInList(list, command, releasesRows(state)) });
    }
    if (command === 'back') return popScreen(state);
    const release = selectedRow(list);
    if (release === undefined) return state;
    switch (command) {
      case 'open':
        return toIssues(state, valueTerm('new_in', release.name));
      case 'came_back':
        return toIssues(state, valueTerm('regressed_in', release.name));
      case 'gone': {
        const before = releaseBefore(list.rows, release);
        if (before === undefined) return withNotice(state, 'No release with events is known before it.');
        return toIssues(state, `${valueTerm('release', before.name)} ${valueTerm('release', release.name, true)}`);
      }
      case 'copy':
        return copyText(state, async () => release.name);
      default:
        return state;
    }
  },
  missing: (state, { key, list, isLoading }) => {
    if (isLoading) return [readReleases(key)];
    return wantedCursor(list, releasesRows(state)) === undefined ? [] : [readReleases(key, REST)];
  },
  polled: (_state, { key }) => [readReleases(key)],
  fit: (state, screen) => withSelectedVisible(screen, releasesRows(state)),
  isOffered: (_state, { list }, command) => command === 'back' || list.rows.length > 0,
  position: (_state, { list, total }) => positionInList(list, total),
  draw: (state, screen) => ({
    path: 'Issues › Releases',
    facts: screen.isLoading ? [] : [{ text: span(countWithNoun(screen.total, 'release')), rank: 0 }],
    lines: releasesLines(state, screen),
  }),
};

function releaseBefore(rows: readonly ReleaseSummary[], { name }: ReleaseSummary): ReleaseSummary | undefined {
  const index = rows.findIndex((row) => row.name === name);
  return rows.slice(index + 1).find(({ first_seen }) => first_seen !== null);
}

/** Lists all issues that match, whatever their state, in place of the releases. */
function toIssues(state: TerminalState, query: string): TerminalState {
  const below = popScreen(state);
  const issues = topScreen(below);
  return issues.kind === 'issues' ? withTop(below, listing(issues, query)) : state;
}

function listing(screen: IssuesScreen, query: string): IssuesScreen {
  const list = { ...screen.list, isTouched: false };
  const wanted = { ...screen.wanted, query, tab: 'all' as const, since: undefined };
  return { ...screen, wanted, list, marked: new Set(), markStart: undefined };
}

function readReleases(key: number, cursor?: string): StateRead {
  return {
    name: `releases ${key} ${cursor ?? ''}`,
    perform: async (reader) => {
      const { releases: rows, total } = await reader.listReleases({
        limit: cursor === undefined ? FIRST_ROWS : ALL_ROWS,
      });
      return changeScreen('releases', key, (screen, state) => {
        const isRest = cursor === undefined && total > rows.length;
        const page = { rows, nextCursor: isRest ? REST : null };
        const list =
          cursor === undefined
            ? mergeHead(screen.list, page, releasesRows(state))
            : appendPage(screen.list, cursor, page);
        if (list === screen.list && total === screen.total && !screen.isLoading) return screen;
        return { ...screen, list, total, isLoading: false };
      });
    },
  };
}

/** Title, order and column headings. */
const FIXED_ROWS = 3;
/** Columns from which deploys and bars are wider. */
const WIDE_FROM = 120;
const NOTHING: readonly Line[] = [
  [],
  [words('  No release is known.')],
  [],
  [words('  Events that name a release make one, and so do release calls.', 'muted')],
];

/** Rows of the list. */
function releasesRows(state: TerminalState): number {
  return bodyRows(state, FIXED_ROWS);
}

/** The releases, the latest first. */
function releasesLines(state: TerminalState, { list, isLoading }: ReleasesScreen): readonly Line[] {
  const order: Line = [words('  by first event, the latest first', 'muted')];
  if (list.rows.length === 0) return isLoading ? [order, [], [words('  Loading…')]] : NOTHING;
  const look = { cells: state.size.columns, rows: releasesRows(state) };
  return [order, ...listLines(list, columnsOf(state), look)];
}

function columnsOf({ nowMs, size, habits }: TerminalState): readonly Column<ReleaseSummary>[] {
  const isWide = size.columns >= WIDE_FROM;
  const age = (time: string | null) => (time === null ? '' : relativeTime(time, nowMs));
  const number = (heading: string, cells: number, of: (release: ReleaseSummary) => number) => {
    const text = (release: ReleaseSummary) => (of(release) === 0 ? '' : shortCount(of(release)));
    return { heading, cells, align: 'right' as const, text };
  };
  const crashes = ({ health }: ReleaseSummary) => (health?.hours ?? []).map(({ crashed }) => crashed);
  const barCells = isWide ? 12 : 8;
  return [
    { heading: 'RELEASE', cells: 'rest', text: ({ name }) => name },
    { heading: 'FIRST', cells: 5, align: 'right', text: ({ first_seen, created_at }) => age(first_seen ?? created_at) },
    { heading: 'OUT', cells: 4, from: WIDE_FROM, align: 'right', text: ({ released_at }) => age(released_at) },
    {
      heading: 'DEPLOYED',
      cells: isWide ? 26 : 12,
      text: ({ deploys }) => deployedTo(deploys, isWide ? age : undefined),
    },
    number('EVENTS', 6, ({ events }) => events),
    number('USERS', 5, ({ users }) => users),
    number('NEW', 4, ({ new_issues }) => new_issues),
    number('BACK', 4, ({ regressed_issues }) => regressed_issues),
    number('GONE', 4, ({ gone_issues }) => gone_issues),
    { heading: 'NO CRASH', cells: 8, from: 70, align: 'right', text: ({ health }) => shareOf(health) },
    {
      heading: 'CRASHES',
      cells: habits.isForScreenReader ? 13 : barCells,
      from: 80,
      text: (release) => {
        const counts = crashes(release);
        if (counts.length === 0) return '';
        return habits.isForScreenReader ? trendInWords(counts) : sparkline(counts, barCells);
      },
      meaning: () => 'bar',
    },
  ];
}

/** The environments of the deploys with their ages, the latest first; without `age` the first one and the number of others. */
function deployedTo(deploys: ReleaseSummary['deploys'], age?: (time: string | null) => string): string {
  const latest = new Map<string, string>();
  for (const { environment, finished_at, started_at } of deploys) {
    if (!latest.has(environment)) latest.set(environment, age?.(finished_at ?? started_at) ?? '');
  }
  const [[first = ''] = []] = latest;
  if (age === undefined) return latest.size > 1 ? `${first}+${latest.size - 1}` : first;
  return [...latest].map(([environment, at]) => `${environment} ${at}`.trimEnd()).join(', ');
}

function shareOf(health: ReleaseSummary['health']): string {
  return health?.crash_free_sessions == null ? '' : `${health.crash_free_sessions}%`;
}
