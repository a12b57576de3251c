import type { Command } from '../../keymap.js';
import { askQuery } from '../../query-prompt/ask-query.js';
import { queryProblem } from '../../query-prompt/query-problem.js';
import { withTerm } from '../../query-prompt/with-term.js';
import { openEvent } from '../../state/event-state.js';
import { type EventsScreen, openEvents } from '../../state/events-state.js';
import { indexOfSelected, keepSelectedVisible, selectedRow } from '../../state/list-selection.js';
import { isMove, moveInList } from '../../state/moves.js';
import { EVENT_ROWS } from '../../state/row-kinds.js';
import { leave, pushed, type TerminalState, telling, topScreen, withTop } from '../../state/terminal-state.js';
import { fullCount } from '../../text/counts.js';
import { ownWords } from '../../text/visible.js';
import { openExport } from '../../triage/ask-export.js';
import { openCopyMenu } from '../../triage/copy-menu.js';
import type { ScreenLogic } from '../screen-logic.js';
import { eventsRows, isSearching, missingOfEvents } from './events-reads.js';
import { openValueMenu } from './value-menu.js';

/** Events of all issues that match a query. */
export const EVENTS_LOGIC: ScreenLogic<EventsScreen> = {
  place: () => ({ screen: 'events' }),
  run,
  missing: missingOfEvents,
  // It is a search at a time.
  polled: () => [],
  fit: (state, screen) => {
    const list = keepSelectedVisible(screen.list, EVENT_ROWS, eventsRows(state));
    return list === screen.list ? screen : { ...screen, list };
  },
  isOffered: (_state, { list }, command) => (command !== 'open' && command !== 'copy') || list.rows.length > 0,
  position: (_state, { list }) => {
    const index = indexOfSelected(list, EVENT_ROWS);
    const more = list.nextCursor === null ? '' : '+';
    return ownWords(index < 0 ? '' : `${fullCount(index + 1)}/${fullCount(list.rows.length)}${more}`);
  },
};

function run(state: TerminalState, screen: EventsScreen, command: Command): TerminalState {
  if (isMove(command)) {
    const list = moveInList(screen.list, EVENT_ROWS, command, eventsRows(state));
    const reading = screen.reading === 'stopped' ? 'loaded' : screen.reading;
    return withTop(state, { ...screen, list, reading, pages: 0 });
  }
  switch (command) {
    case 'open': {
      const event = selectedRow(screen.list, EVENT_ROWS);
      if (event === undefined) return state;
      return pushed(state, (key) => openEvent(key, { eventId: event.event_id, issueId: event.issue_id }));
    }
    case 'back':
      return back(state, screen);
    case 'filter':
      return changeQuery(state, screen);
    case 'include':
      return chooseValue(state, screen, false);
    case 'exclude':
      return chooseValue(state, screen, true);
    case 'copy':
      return copy(state, screen);
    case 'export':
      return openExport(state, [{ what: 'events', query: screen.query }]);
    default:
      return state;
  }
}

function copy(state: TerminalState, screen: EventsScreen): TerminalState {
  const event = selectedRow(screen.list, EVENT_ROWS);
  if (event === undefined) return state;
  return { ...state, overlay: openCopyMenu({ issueId: event.issue_id, eventId: event.event_id }) };
}

/** Stops a search that goes on; leaves where none does. */
function back(state: TerminalState, screen: EventsScreen): TerminalState {
  if (screen.reading !== 'loaded' || !isSearching(state, screen)) return leave(state);
  return telling(withTop(state, { ...screen, reading: 'stopped' }), 'Stopped. Down goes on, Esc leaves.');
}

function changeQuery(state: TerminalState, { query }: EventsScreen): TerminalState {
  const overlay = askQuery(state, { subject: 'events', label: 'events: ', draft: query, accept: searching });
  return { ...state, overlay };
}

function chooseValue(state: TerminalState, screen: EventsScreen, isLeftOut: boolean): TerminalState {
  const event = selectedRow(screen.list, EVENT_ROWS);
  if (event === undefined) return state;
  const take = (now: TerminalState, term: string): TerminalState => {
    const query = withTerm(screen.query, term);
    const problem = queryProblem(query, 'events');
    return problem === undefined ? searching(now, query) : telling(now, problem.reason, 'error');
  };
  return { ...state, overlay: openValueMenu(event, { isLeftOut, take }) };
}

/** The same screen with a search that begins anew. */
function searching(state: TerminalState, query: string): TerminalState {
  const screen = topScreen(state);
  return screen.kind === 'events' ? withTop(state, openEvents(screen.key, query)) : state;
}
