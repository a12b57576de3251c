import { parseQuery } from '../../../core/query/parse-query.js';
import { QueryFault } from '../../../core/query/query-fault.js';
import { EMPTY_LIST } from '../../state/paged-list.js';
import { type Screen, type TerminalState, telling } from '../../state/terminal-state.js';
import { listBelow } from './list-below.js';

/** The list of events below, visible again and held to one more term. */
export function withEventTerm(state: TerminalState, term: string): TerminalState {
  const below = listBelow(state);
  if (below === undefined) return telling(state, 'There is no list of events below this one to filter.', 'error');
  const query = joined(below.query, term);
  const [first, ...above] = state.stack;
  const kept = above.slice(0, above.indexOf(below));
  return { ...state, stack: [first, ...kept, filtered(below, query)] };
}

function filtered(below: NonNullable<ReturnType<typeof listBelow>>, query: string): Screen {
  if (below.kind === 'events') return { ...below, query, list: EMPTY_LIST, reading: 'loading', scanned: undefined };
  return { ...below, pane: 'events', query, list: EMPTY_LIST, reading: 'loading', shownQuery: undefined };
}

/** A query and one more term; an `OR` on its outside would take the term in. */
function joined(query: string, term: string): string {
  if (query.trim() === '') return term;
  return isAlternative(query) ? `(${query}) ${term}` : `${query} ${term}`;
}

function isAlternative(query: string): boolean {
  try {
    return parseQuery(query, 'events').kind === 'or';
  } catch (error) {
    if (error instanceof QueryFault) return true;
    throw error;
  }
}
