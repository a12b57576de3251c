import type { ReleaseSummary } from '../../../generated/reader-answers.js';
import type { IssuesScreen } from '../../state/issues-state.js';
import { appendPage, mergeHead } from '../../state/list-merge.js';
import { positionInList, selectedRow, withSelectedVisible } from '../../state/list-selection.js';
import { isMove, moveInList } from '../../state/moves.js';
import { wantedCursor } from '../../state/paged-list.js';
import { valueTerm } from '../../state/query-terms.js';
import type { ScreenLogic } from '../../state/screen-logic.js';
import { RELEASE_ROWS, type ReleasesScreen } from '../../state/status-state.js';
import {
  changeScreen,
  popScreen,
  type StateRead,
  type TerminalState,
  topScreen,
  withNotice,
  withTop,
} from '../../state/terminal-state.js';
import { countWithNoun } from '../../text/counts.js';
import { span } from '../../text/line.js';
import { copyText } from '../../triage/copy-menu.js';
import { releasesLines, releasesRows } from './releases-lines.js';

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
      return withTop(state, { ...screen, list: moveInList(list, RELEASE_ROWS, command, releasesRows(state)) });
    }
    if (command === 'back') return popScreen(state);
    const release = selectedRow(list, RELEASE_ROWS);
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
  fit: (state, screen) => withSelectedVisible(screen, RELEASE_ROWS, releasesRows(state)),
  isOffered: (_state, { list }, command) => command === 'back' || list.rows.length > 0,
  position: (_state, { list, total }) => positionInList(list, RELEASE_ROWS, total),
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
            ? mergeHead(screen.list, RELEASE_ROWS, page, releasesRows(state))
            : appendPage(screen.list, RELEASE_ROWS, cursor, page);
        if (list === screen.list && total === screen.total && !screen.isLoading) return screen;
        return {
          ...screen,
          list: { ...list, selectedId: list.selectedId ?? list.rows[0]?.name },
          total,
          isLoading: false,
        };
      });
    },
  };
}
