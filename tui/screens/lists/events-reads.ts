import type { Fault } from '../../../core/event/fault.js';
import type { EventSearchPage } from '../../../generated/reader-answers.js';
import { bodyRows } from '../../components/layout.js';
import { appendPage, replaceRows } from '../../state/list-merge.js';
import { emptyList, wantedCursor } from '../../state/paged-list.js';
import type { EventsScreen } from '../../state/status-state.js';
import {
  changeScreen,
  type StateChange,
  type StateRead,
  type TerminalState,
  withNotice,
} from '../../state/terminal-state.js';
import { DEBOUNCE_MS, filterPromptOf } from './filter-prompt.js';

/** Title bar, query and column headings. */
const FIXED_ROWS = 3;

/** Rows of the list; completions take one while a query is typed. */
export function eventsRows(state: TerminalState): number {
  return bodyRows(state, filterPromptOf(state) === undefined ? FIXED_ROWS : FIXED_ROWS + 1);
}

const PAGE_ROWS = 100;

/** Reads the next page while the window is not full; of a query that is being typed, only the first page. */
export function missingOfEvents(state: TerminalState, screen: EventsScreen): readonly StateRead[] {
  const { key, query, reading } = screen;
  const first = reading === 'loading' ? [readPage(screen)] : [];
  if (filterPromptOf(state) !== undefined) {
    const delay = { ms: DEBOUNCE_MS, version: query };
    return first.map((read) => ({ ...read, name: `typed search ${key}`, delay }));
  }
  const cursor = wantedCursor(screen.list, eventsRows(state));
  return cursor === undefined || reading !== 'loaded' ? first : [readPage(screen, cursor)];
}

/** Whether the search is running. */
export function isSearching(state: TerminalState, screen: EventsScreen): boolean {
  return missingOfEvents(state, screen).length > 0;
}

/** One page at a time; a page of a former query changes nothing visible, and the new object starts the next read. */
function readPage({ key, query }: EventsScreen, cursor?: string): StateRead {
  return {
    name: `search ${key}`,
    perform: async (reader) => {
      const page = await reader.searchEvents({ limit: PAGE_ROWS, query, cursor });
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
  const list =
    cursor === undefined
      ? replaceRows(emptyList(screen.list.kind), rows, eventsRows(state))
      : appendPage(screen.list, cursor, rows);
  return {
    ...screen,
    list,
    reading: screen.reading === 'loading' ? 'loaded' : screen.reading,
    scanned: { done: page.scanned, total: page.total, isComplete: page.is_complete },
  };
}

function rejectedQuery(key: number, query: string, fault: Fault): StateChange | undefined {
  if (fault.code !== 'QUERY_INVALID' && fault.code !== 'CURSOR_INVALID') return undefined;
  return (state) => {
    const changed = changeScreen('events', key, (screen) => {
      if (screen.query !== query) return screen;
      const list = fault.code === 'QUERY_INVALID' ? emptyList(screen.list.kind) : screen.list;
      return { ...screen, list, reading: 'failed' };
    })(state);
    // Another object starts the read of the present query.
    return changed === state ? { ...state } : withNotice(changed, fault.message, 'error');
  };
}
