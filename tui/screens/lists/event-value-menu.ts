import { cutText } from '../../../core/event/text.js';
import { printFieldName } from '../../../core/query/print-query.js';
import type { EventSummary } from '../../../generated/reader-answers.js';
import { openMenu } from '../../overlays/menu.js';
import type { Menu, MenuItem } from '../../state/overlay.js';
import { prefixTerm, valueTerm } from '../../state/query-terms.js';
import type { TerminalState } from '../../state/terminal-state.js';

/** Fields to filter by. */
const VALUES = [
  { key: 'l', field: 'level' },
  { key: 'r', field: 'release' },
  { key: 'o', field: 'route' },
  { key: 'm', field: 'method' },
  { key: 'c', field: 'status_code' },
  { key: 'u', field: 'user_id' },
  { key: 'e', field: 'env' },
  { key: 's', field: 'service' },
  { key: 'n', field: 'error_name' },
  { key: 'x', field: 'message' },
  { key: 'i', field: 'request_id' },
] as const;
/** A row of a list, or an event as a whole. */
type EventValues = Pick<EventSummary, (typeof VALUES)[number]['field']> & {
  readonly tags?: Readonly<Record<string, string>>;
};
/** UTF-16 units of a message in a list row; a message of this length is cut. */
const CUT_AT = 512;
/** Longer values are matched by their prefix, so that they fit into a query. */
const MAX_VALUE = 200;
const MAX_ITEMS = 24;

interface ValueMenuOptions {
  readonly isExcluded: boolean;
  readonly accept: (state: TerminalState, term: string) => TerminalState;
}

/** Opens the menu of an event's values; `accept` gets the term of the chosen one. */
export function openValueMenu(event: EventValues, { isExcluded, accept }: ValueMenuOptions): Menu<TerminalState> {
  const items = VALUES.flatMap(({ key, field }): MenuItem<TerminalState>[] => {
    const value = String(event[field] ?? '');
    if (value === '') return [];
    const term = termOf(field, value, isExcluded);
    return [{ key, label: field, detail: value, run: (state) => accept(state, term) }];
  });
  const tags = Object.entries(event.tags ?? {}).map(([tag, value]): MenuItem<TerminalState> => {
    const field = printFieldName(`tags.${tag}`);
    return { label: field, detail: value, run: (state) => accept(state, termOf(field, value, isExcluded)) };
  });
  return openMenu(isExcluded ? 'Hide' : 'Show only', [...items, ...tags].slice(0, MAX_ITEMS));
}

function termOf(field: string, value: string, isExcluded: boolean): string {
  if (value.length <= MAX_VALUE && value.length < CUT_AT) return valueTerm(field, value, isExcluded);
  return prefixTerm(field, cutText(value, MAX_VALUE), isExcluded);
}
