import { openQueryPrompt, queryProblem } from '../../overlays/query-prompt.js';
import { openEvent } from '../../state/event-state.js';
import { type EventsScreen, openEvents } from '../../state/events-state.js';
import { indexOfSelected, keepSelectedVisible, selectedRow } from '../../state/list-selection.js';
import { isMove, moveInList } from '../../state/moves.js';
import { withTerm } from '../../state/query-terms.js';
import { EVENT_ROWS } from '../../state/row-kinds.js';
import type { ScreenLogic } from '../../state/screen-logic.js';
import {
  popScreen,
  pushScreen,
  type TerminalState,
  topScreen,
  withNotice,
  withTop,
} from '../../state/terminal-state.js';
import type { Command } from '../../terminal/keymap.js';
import { fullCount } from '../../text/counts.js';
import { literal } from '../../text/visible.js';
import { openCopyMenu } from '../../triage/copy-menu.js';
import { openExportPrompt } from '../../triage/export-prompt.js';
import { eventsRows, isSearching, missingOfEvents } from './events-reads.js';
import { openEventValues } from './value-menu.js';

/** Events of all issues that match a query. */
export const EVENTS_LOGIC: ScreenLogic<EventsScreen> = {
  keyScope: () => ({ screen: 'events' }),
  run,
  missing: missingOfEvents,
  // A search is not polled.
  polled: () => [],
  fit: (state, screen) => {
    const list = keepSelectedVisible(screen.list, EVENT_ROWS, eventsRows(state));
    return list === screen.list ? screen : { ...screen, list };
  },
  isOffered: (_state, { list }, command) => (command !== 'open' && command !== 'copy') || list.rows.length > 0,
  position: (_state, { list }) => {
    const index = indexOfSelected(list, EVENT_ROWS);
    const more = list.nextCursor === null ? '' : '+';
    return literal(index < 0 ? '' : `${fullCount(index + 1)}/${fullCount(list.rows.length)}${more}`);
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
      return pushScreen(state, (key) => openEvent(key, { eventId: event.event_id, issueId: event.issue_id }));
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
      return openExportPrompt(state, { what: 'events', query: screen.query });
    default:
      return state;
  }
}

function copy(state: TerminalState, screen: EventsScreen): TerminalState {
  const event = selectedRow(screen.list, EVENT_ROWS);
  if (event === undefined) return state;
  return { ...state, overlay: openCopyMenu({ issueId: event.issue_id, eventId: event.event_id }) };
}

/** Stops a running search, else closes the screen. */
function back(state: TerminalState, screen: EventsScreen): TerminalState {
  if (screen.reading !== 'loaded' || !isSearching(state, screen)) return popScreen(state);
  return withNotice(withTop(state, { ...screen, reading: 'stopped' }), 'Stopped. G searches on.');
}

function changeQuery(state: TerminalState, { query }: EventsScreen): TerminalState {
  const overlay = openQueryPrompt(state, { label: 'events: ', draft: query, accept: restartSearch });
  return { ...state, overlay };
}

function chooseValue(state: TerminalState, screen: EventsScreen, isExcluded: boolean): TerminalState {
  const event = selectedRow(screen.list, EVENT_ROWS);
  if (event === undefined) return state;
  const accept = (now: TerminalState, term: string): TerminalState => {
    const query = withTerm(screen.query, term);
    const problem = queryProblem(query, 'events');
    return problem === undefined ? restartSearch(now, query) : withNotice(now, problem.reason, 'error');
  };
  return { ...state, overlay: openEventValues(event, { isExcluded, accept }) };
}

function restartSearch(state: TerminalState, query: string): TerminalState {
  const screen = topScreen(state);
  return screen.kind === 'events' ? withTop(state, openEvents(screen.key, query)) : state;
}
