import type { EventScreen } from '../../state/event-state.js';
import { EMPTY_LIST } from '../../state/paged-list.js';
import { withTerm } from '../../state/query-terms.js';
import { type Screen, type TerminalState, withNotice } from '../../state/terminal-state.js';
import { openValueMenu } from '../lists/event-value-menu.js';
import { type EventListScreen, listBelow } from './list-below.js';

/** Opens the menu of the event's values, to filter the list of events below by one or to exclude it. */
export function openEventValues(state: TerminalState, { event }: EventScreen, isExcluded: boolean): TerminalState {
  if (event === undefined) return state;
  return { ...state, overlay: openValueMenu(event.normalized, { isExcluded, accept: withTermBelow }) };
}

/** Returns to the list of events below, with one more term in its query. */
function withTermBelow(state: TerminalState, term: string): TerminalState {
  const below = listBelow(state);
  if (below === undefined)
    return withNotice(state, 'No list of events to filter: the event was opened by its id.', 'error');
  const [first, ...above] = state.stack;
  const kept = above.slice(0, above.indexOf(below));
  return { ...state, stack: [first, ...kept, filtered(below, withTerm(below.query, term))] };
}

function filtered(below: EventListScreen, query: string): Screen {
  if (below.kind === 'events') return { ...below, query, list: EMPTY_LIST, reading: 'loading', scanned: undefined };
  return { ...below, pane: 'events', query, list: EMPTY_LIST, reading: 'loading', shownQuery: undefined };
}
