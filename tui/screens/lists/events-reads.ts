import type { Fault } from '../../../core/event/fault.js';
import type { EventSearchPage } from '../../../generated/reader-answers.js';
import { bodyRows } from '../../components/layout.js';
import type { EventsScreen } from '../../state/events-state.js';
import { appendPage, replaceRows } from '../../state/list-merge.js';
import { EMPTY_LIST, wantedCursor } from '../../state/paged-list.js';
import { EVENT_ROWS } from '../../state/row-kinds.js';
import {
  changeScreen,
  type StateChange,
  type StateRead,
  type TerminalState,
  withNotice,
} from '../../state/terminal-state.js';

/** Title bar, query and column headings. */
const FIXED_ROWS = 3;

/** Rows of the list. */
export function eventsRows(state: TerminalState): number {
  return bodyRows(state, FIXED_ROWS);
}

const PAGE_ROWS = 100;
/** Pages to read without a move of the user. */
const MAX_PAGES = 10;

/** Reads the next page while the window is not full; stops after MAX_PAGES until the user moves. */
export function missingOfEvents(state: TerminalState, screen: EventsScreen): readonly StateRead[] {
  const { reading, pages } = screen;
  if (reading === 'loading') return [readPage(screen)];
  const cursor = nextCursor(state, screen);
  return cursor === undefined || reading !== 'loaded' || pages >= MAX_PAGES ? [] : [readPage(screen, cursor)];
}

/** Whether the search is running. */
export function isSearching(state: TerminalState, screen: EventsScreen): boolean {
  return missingOfEvents(state, screen).length > 0;
}

/** Whether a move would continue the search. */
export function canContinue(state: TerminalState, screen: EventsScreen): boolean {
  return nextCursor(state, screen) !== undefined && screen.reading !== 'failed' && !isSearching(state, screen);
}

function nextCursor(state: TerminalState, { list }: EventsScreen): string | undefined {
  return wantedCursor(list, eventsRows(state));
}

/** One page at a time; a page of a former query changes nothing visible, and the new object starts the next read. */
function readPage({ key, query }: EventsScreen, cursor?: string): StateRead {
  return {
    name: `search ${key}`,
    perform: async (reader) => {
      const options = { limit: PAGE_ROWS, ...(query !== '' && { query }), ...(cursor !== undefined && { cursor }) };
      const page = await reader.searchEvents(options);
      return changeScreen('events', key, (screen, state) => {
        const isFirst = screen.reading === 'loading';
        const isWanted = screen.query === query && (isFirst ? cursor === undefined : screen.list.nextCursor === cursor);
        return isWanted ? withPage(state, screen, page, cursor) : { ...screen };
      });
    },
    onFault: (fault) => rejectedQuery(key, query, fault),
  };
}

function withPage(
  state: TerminalState,
  screen: EventsScreen,
  page: EventSearchPage,
  cursor: string | undefined,
): EventsScreen {
  const rows = { rows: page.events, nextCursor: page.next_cursor };
  const height = eventsRows(state);
  const list =
    cursor === undefined
      ? replaceRows(screen.list, EVENT_ROWS, rows, height)
      : withSelection(appendPage(screen.list, EVENT_ROWS, cursor, rows));
  return {
    ...screen,
    list,
    reading: screen.reading === 'loading' ? 'loaded' : screen.reading,
    pages: wantedCursor(list, height) === undefined ? 0 : (cursor === undefined ? 0 : screen.pages) + 1,
    scanned: { done: page.scanned, total: page.total, isComplete: page.is_complete },
  };
}

/** Selects the first row, which may arrive with a later page. */
function withSelection(list: EventsScreen['list']): EventsScreen['list'] {
  const [first] = list.rows;
  return list.selectedId !== undefined || first === undefined ? list : { ...list, selectedId: first.event_id };
}

function rejectedQuery(key: number, query: string, fault: Fault): StateChange | undefined {
  if (fault.code !== 'QUERY_INVALID' && fault.code !== 'CURSOR_INVALID') return undefined;
  return (state) => {
    let isCurrent = false;
    const changed = changeScreen('events', key, (screen) => {
      isCurrent = screen.query === query;
      if (!isCurrent) return { ...screen };
      const list = fault.code === 'QUERY_INVALID' ? EMPTY_LIST : screen.list;
      return { ...screen, list, reading: 'failed' };
    })(state);
    return isCurrent ? withNotice(changed, fault.message, 'error') : changed;
  };
}
