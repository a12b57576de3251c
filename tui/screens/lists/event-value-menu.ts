import { cutText } from '../../../core/event/text.js';
import type { EventSummary } from '../../../generated/reader-answers.js';
import { openMenu } from '../../overlays/menu.js';
import type { Menu, MenuItem } from '../../state/overlay.js';
import { beginningTerm, valueTerm } from '../../state/query-terms.js';
import type { TerminalState } from '../../state/terminal-state.js';

/** What a filter can be made of: the key in the menu, the field of the query language, its value in an event. */
const VALUES: readonly {
  readonly key: string;
  readonly field: string;
  readonly of: (event: EventSummary) => string | number | null;
}[] = [
  { key: 'l', field: 'level', of: ({ level }) => level },
  { key: 'r', field: 'release', of: ({ release }) => release },
  { key: 'o', field: 'route', of: ({ route }) => route },
  { key: 'm', field: 'method', of: ({ method }) => method },
  { key: 'c', field: 'status_code', of: ({ status_code }) => status_code },
  { key: 'u', field: 'user_id', of: ({ user_id }) => user_id },
  { key: 'e', field: 'env', of: ({ env }) => env },
  { key: 's', field: 'service', of: ({ service }) => service },
  { key: 'n', field: 'error_name', of: ({ error_name }) => error_name },
  { key: 'x', field: 'message', of: ({ message }) => message },
  { key: 'i', field: 'request_id', of: ({ request_id }) => request_id },
];
/** A row of a list has so many UTF-16 units of a message; one as long goes on in the event. */
const CUT_AT = 512;
/** Values that are longer are asked for by their beginning, so that they fit into a query. */
const MAX_VALUE = 200;

interface ValueMenuOptions {
  /** Whether the value is to be left out. */
  readonly isExcluded: boolean;
  /** What is done with the term. */
  readonly accept: (state: TerminalState, term: string) => TerminalState;
}

/** The choice of one of an event's values for a filter. */
export function openValueMenu(
  event: EventSummary,
  { isExcluded: isLeftOut, accept: take }: ValueMenuOptions,
): Menu<TerminalState> {
  const items = VALUES.flatMap(({ key, field, of }): MenuItem<TerminalState>[] => {
    const value = String(of(event) ?? '');
    if (value === '') return [];
    const term = termOf(field, value, isLeftOut);
    return [{ key, label: field, detail: value, run: (state) => take(state, term) }];
  });
  return openMenu(isLeftOut ? 'All events but those with' : 'Only events with', items);
}

function termOf(field: string, value: string, isLeftOut: boolean): string {
  if (value.length <= MAX_VALUE && value.length < CUT_AT) return valueTerm(field, value, isLeftOut);
  return beginningTerm(field, cutText(value, MAX_VALUE), isLeftOut);
}
