import { askQuery } from '../../search/ask-query.js';
import { pushed, type TerminalState } from '../../state/terminal-state.js';
import { openEvents } from './events-state.js';

/** Asks for a query, and opens the events of all issues that match it. */
export function askEvents(state: TerminalState): TerminalState {
  const overlay = askQuery(state, {
    subject: 'events',
    label: 'events: ',
    draft: '',
    accept: (now, query) => pushed(now, (key) => openEvents(key, query)),
  });
  return { ...state, overlay };
}
