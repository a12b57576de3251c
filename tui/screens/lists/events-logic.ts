import type { EventSummary } from '../../../generated/reader-answers.js';
import { queryProblem } from '../../overlays/query-prompt.js';
import { openEvent } from '../../state/event-state.js';
import type { EventsScreen } from '../../state/events-state.js';
import { positionInList, selectedRow, withSelectedVisible } from '../../state/list-selection.js';
import { isMove, moveInList } from '../../state/moves.js';
import { withTerm } from '../../state/query-terms.js';
import { EVENT_ROWS } from '../../state/row-kinds.js';
import type { ScreenLogic } from '../../state/screen-logic.js';
import { popScreen, pushScreen, type TerminalState, withNotice, withTop } from '../../state/terminal-state.js';
import type { Command } from '../../terminal/keymap.js';
import { openCopyMenu } from '../../triage/copy-menu.js';
import { openExportPrompt } from '../../triage/export-prompt.js';
import { eventsRows, isSearching, missingOfEvents } from './events-reads.js';
import { drawEvents } from './events-screen.js';
import { openSearchPrompt, withSearch } from './search-prompt.js';
import { openEventValues } from './value-menu.js';

/** Events of all issues that match a query. */
export const EVENTS_LOGIC: ScreenLogic<EventsScreen> = {
  keyScope: () => ({ screen: 'events' }),
  run,
  missing: missingOfEvents,
  // A search is not polled.
  polled: () => [],
  fit: (state, screen) => withSelectedVisible(screen, EVENT_ROWS, eventsRows(state)),
  isOffered: (_state, { list }, command) => (command !== 'open' && command !== 'copy') || list.rows.length > 0,
  position: (_state, { list }) => positionInList(list, EVENT_ROWS),
  draw: drawEvents,
};

function run(state: TerminalState, screen: EventsScreen, command: Command): TerminalState {
  if (isMove(command)) {
    const list = moveInList(screen.list, EVENT_ROWS, command, eventsRows(state));
    const reading = screen.reading === 'stopped' && command === 'last' ? 'loaded' : screen.reading;
    return withTop(state, { ...screen, list, reading });
  }
  const event = selectedRow(screen.list, EVENT_ROWS);
  switch (command) {
    case 'open':
      return event === undefined ? state : pushScreen(state, (key) => openEvent(key, event));
    case 'back':
      return back(state, screen);
    case 'filter':
      return openSearchPrompt(state);
    case 'include':
    case 'exclude':
      return event === undefined ? state : chooseValue(state, screen.query, event, command === 'exclude');
    case 'copy':
      return event === undefined
        ? state
        : { ...state, overlay: openCopyMenu({ issueId: event.issue_id, eventId: event.event_id }) };
    case 'export':
      return openExportPrompt(state, { what: 'events', query: screen.query });
    default:
      return state;
  }
}

/** Stops a running search, else closes the screen. */
function back(state: TerminalState, screen: EventsScreen): TerminalState {
  if (screen.reading !== 'loaded' || !isSearching(state, screen)) return popScreen(state);
  return withTop(state, { ...screen, reading: 'stopped' });
}

function chooseValue(state: TerminalState, before: string, event: EventSummary, isExcluded: boolean): TerminalState {
  const accept = (now: TerminalState, term: string): TerminalState => {
    const query = withTerm(before, term);
    const problem = queryProblem(query, 'events');
    return problem === undefined ? withSearch(now, query) : withNotice(now, problem.reason, 'error');
  };
  return { ...state, overlay: openEventValues(event, { isExcluded, accept }) };
}
