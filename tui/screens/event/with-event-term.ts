import { withTerm } from '../../search/with-term.js';
import { EMPTY_LIST } from '../../state/paged-list.js';
import { type Screen, type TerminalState, telling } from '../../state/terminal-state.js';
import { listBelow } from './list-below.js';

/** The list of events below, visible again and held to one more term. */
export function withEventTerm(state: TerminalState, term: string): TerminalState {
  const below = listBelow(state);
  if (below === undefined) return telling(state, 'There is no list of events below this one to filter.', 'error');
  const query = withTerm(below.query, term);
  const [first, ...above] = state.stack;
  const kept = above.slice(0, above.indexOf(below));
  return { ...state, stack: [first, ...kept, filtered(below, query)] };
}

function filtered(below: NonNullable<ReturnType<typeof listBelow>>, query: string): Screen {
  if (below.kind === 'events') return { ...below, query, list: EMPTY_LIST, reading: 'loading', scanned: undefined };
  return { ...below, pane: 'events', query, list: EMPTY_LIST, reading: 'loading', shownQuery: undefined };
}
