import { cutText } from '../../../core/event/text.js';
import { printFieldName } from '../../../core/query/print-query.js';
import type { EventSummary, IssueSummary } from '../../../generated/reader-answers.js';
import { openMenu } from '../../overlays/menu.js';
import type { Menu, MenuItem } from '../../state/overlay.js';
import { prefixTerm, valueTerm } from '../../state/query-terms.js';
import type { TerminalState } from '../../state/terminal-state.js';

const OF_EVENT = [
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
type EventValues = Pick<EventSummary, (typeof OF_EVENT)[number]['field']> & {
  readonly tags?: Readonly<Record<string, string>>;
};
const OF_ISSUE = [
  { key: 's', field: 'service' },
  { key: 'l', field: 'level' },
  { key: 'n', field: 'error_name' },
  { key: 'a', field: 'app' },
  { key: 'g', field: 'assignee' },
  { key: 't', field: 'type' },
  { key: 'c', field: 'culprit' },
] as const;
/** Longer values of events are matched by their prefix, so that they fit into a query; those of issues are left out. */
const MAX_VALUE = 200;
const MAX_ITEMS = 24;

interface FieldValue {
  /** Default: the item has to be selected with the cursor. */
  readonly key?: string;
  readonly field: string;
  readonly value: string;
}

interface ValueMenuOptions {
  readonly isExcluded: boolean;
  readonly accept: (state: TerminalState, term: string) => TerminalState;
}

/** Opens the menu of an event's values, to filter by one or to exclude it. */
export function openEventValues(event: EventValues, options: ValueMenuOptions): Menu<TerminalState> {
  const tags = Object.entries(event.tags ?? {}).map(([tag, value]) => ({
    field: printFieldName(`tags.${tag}`),
    value,
  }));
  const values = OF_EVENT.map(({ key, field }) => ({ key, field, value: String(event[field] ?? '') }));
  return openValues([...values.filter(({ value }) => value !== ''), ...tags], options);
}

/** Opens the menu of an issue's values. */
export function openIssueValues(issue: IssueSummary, options: ValueMenuOptions): Menu<TerminalState> {
  const values: FieldValue[] = [
    ...OF_ISSUE.map(({ key, field }) => ({ key, field, value: issue[field] ?? '' })),
    ...issue.environments.map((value) => ({ field: 'env', value })),
    ...issue.releases.toReversed().map((value) => ({ field: 'release', value })),
  ];
  return openValues(
    values.filter(({ value }) => value !== '' && value.length <= MAX_VALUE),
    options,
  );
}

function openValues(values: readonly FieldValue[], { isExcluded, accept }: ValueMenuOptions): Menu<TerminalState> {
  const items = values.map(({ field, value, ...key }): MenuItem<TerminalState> => {
    const isWhole = value.length <= MAX_VALUE;
    const term = (isWhole ? valueTerm : prefixTerm)(field, cutText(value, MAX_VALUE), isExcluded);
    return { ...key, label: field, detail: value, run: (state) => accept(state, term) };
  });
  return openMenu(isExcluded ? 'Hide' : 'Show only', items.slice(0, MAX_ITEMS));
}
