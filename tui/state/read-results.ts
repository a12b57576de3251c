import type { Fault } from '../../core/event/fault.js';
import type { EventDetail, EventPage, IssueDetail, IssuePage, Stats } from '../../core/reader.js';
import { detailView } from '../format/detail-view.js';
import { afterFailure } from './connection.js';
import { bodyRows } from './layout.js';
import { appendPage, mergeHead, replaceRows, updateRows } from './list-merge.js';
import { keepSelectedVisible } from './list-selection.js';
import { EMPTY_LIST, type RowPage } from './paged-list.js';
import { createPager } from './pager.js';
import { isSameSource, type Read } from './reads.js';
import { EVENT_ROWS, issueRows } from './row-kinds.js';
import { type EventsScreen, type IssuesScreen, type TerminalState, withScreen } from './terminal-state.js';

type ReadOf<What extends Read['what']> = Extract<Read, { what: What }>;

/** The state after the store's numbers were read. */
export function statsRead(state: TerminalState, stats: Stats): TerminalState {
  return JSON.stringify(stats) === JSON.stringify(state.stats) ? state : { ...state, stats };
}

/** The state after a page of issues was read; answers for a source that is no longer wanted change nothing. */
export function issuesRead(state: TerminalState, read: ReadOf<'issues'>, page: IssuePage): TerminalState {
  return changeIssues(state, read, (screen) => {
    const rows: RowPage<IssuePage['issues'][number]> = { rows: page.issues, nextCursor: page.next_cursor };
    const kind = issueRows(read.source.sort);
    const height = bodyRows(state);
    const { total } = page;
    if (read.cursor !== undefined) return { ...screen, total, list: appendPage(screen.list, kind, read.cursor, rows) };
    const join = isSameSource(read.source, screen.shown) ? mergeHead : replaceRows;
    const list = join(screen.list, kind, rows, height);
    const isNew = list !== screen.list || total !== screen.total || screen.shown === undefined;
    return isNew ? { ...screen, total, shown: read.source, list } : screen;
  });
}

/** The state after the issues that are being looked at were read again. */
export function visibleIssuesRead(
  state: TerminalState,
  read: ReadOf<'visible_issues'>,
  page: IssuePage,
): TerminalState {
  return changeIssues(state, read, (screen) => {
    const list = updateRows(screen.list, issueRows(read.source.sort), page.issues);
    return list === screen.list ? screen : { ...screen, list };
  });
}

/** The state after the issue of a list of events was read again. */
export function issueRead(state: TerminalState, read: ReadOf<'issue'>, issue: IssueDetail | undefined): TerminalState {
  return changeEvents(state, read, (screen) => {
    if (issue === undefined) return { ...screen, reading: 'gone' };
    return issueRows('last_seen').isSame(screen.issue, issue) ? screen : { ...screen, issue };
  });
}

/** The state after a page of an issue's events was read. */
export function eventsRead(state: TerminalState, read: ReadOf<'events'>, page: EventPage | undefined): TerminalState {
  return changeEvents(state, read, (screen) => {
    if (page === undefined) return { ...screen, reading: 'gone' };
    const rows = { rows: page.events, nextCursor: page.next_cursor };
    const list =
      read.cursor === undefined
        ? mergeHead(screen.list, EVENT_ROWS, rows, bodyRows(state))
        : appendPage(screen.list, EVENT_ROWS, read.cursor, rows);
    return list === screen.list && screen.reading === 'loaded' ? screen : { ...screen, list, reading: 'loaded' };
  });
}

/** The state after one event was read. */
export function eventRead(state: TerminalState, read: ReadOf<'event'>, event: EventDetail | undefined): TerminalState {
  return withScreen(state, read.screen, (screen) => {
    if (screen.kind !== 'event') return screen;
    return event === undefined ? { ...screen, isGone: true } : { ...screen, pager: createPager(detailView(event)) };
  });
}

/**
 * The state after a reading failed: a refused query goes back to its prompt, a list whose cursor is no longer valid starts anew, all else is a
 * lost connection.
 */
export function readFailed(state: TerminalState, read: Read, fault: Fault, nowMs: number): TerminalState {
  const hasCursor = 'cursor' in read && fault.code === 'CURSOR_INVALID';
  if (read.what === 'issues' && fault.code === 'QUERY_INVALID' && read.source.query !== '') {
    return changeIssues(state, read, (screen) =>
      refuseQuery(screen, read.source.query, fault.message, bodyRows(state) - 1),
    );
  }
  if (read.what === 'issues' && hasCursor) {
    return changeIssues(state, read, (screen) => ({ ...screen, shown: undefined }));
  }
  if (read.what === 'events' && hasCursor) {
    return changeEvents(state, read, (screen) => ({
      ...screen,
      list: { ...EMPTY_LIST, selectedId: screen.list.selectedId },
      reading: 'loading',
    }));
  }
  // The list behind it is about to start anew.
  if (read.what === 'visible_issues' && hasCursor) return state;
  return { ...state, connection: afterFailure(state.connection, fault.message, nowMs) };
}

/** Opens the prompt again with the reason, which takes a row from the list. */
function refuseQuery(screen: IssuesScreen, query: string, reason: string, height: number): IssuesScreen {
  const wanted = screen.shown ?? { ...screen.wanted, query: '' };
  const list = keepSelectedVisible(screen.list, issueRows(wanted.sort), Math.max(1, height));
  return { ...screen, list, wanted, prompt: { draft: query, previous: wanted.query, error: reason } };
}

function changeIssues(
  state: TerminalState,
  read: ReadOf<'issues' | 'visible_issues'>,
  change: (screen: IssuesScreen) => IssuesScreen,
): TerminalState {
  return withScreen(state, read.screen, (screen) =>
    screen.kind === 'issues' && isSameSource(read.source, screen.wanted) ? change(screen) : screen,
  );
}

function changeEvents(
  state: TerminalState,
  read: ReadOf<'events' | 'issue'>,
  change: (screen: EventsScreen) => EventsScreen,
): TerminalState {
  return withScreen(state, read.screen, (screen) => (screen.kind === 'events' ? change(screen) : screen));
}
