import { completeQuery, type QueryCompletion } from '../../../core/query/complete-query.js';
import { MAX_QUERY_LENGTH } from '../../../core/query/parse-query.js';
import { findQueryField } from '../../../core/query/query-fields.js';
import { openPrompt } from '../../overlays/prompt.js';
import { tooLong, withQuery } from '../../overlays/query-prompt.js';
import { TAB_RESERVE } from '../../state/issue-tabs.js';
import type { IssuesScreen } from '../../state/issues-state.js';
import type { Prompt, PromptSpec } from '../../state/overlay.js';
import { type TerminalState, withTop } from '../../state/terminal-state.js';
import {
  acceptedQuery,
  type FilterDraft,
  type NeededValues,
  readDraft,
  shownValue,
  typedField,
} from './filter-draft.js';
import { withSource } from './list-changes.js';

/** Time after the last key until a typed filter is read. */
export const DEBOUNCE_MS = 120;

/** Opens the filter in the third row; the list follows while it is typed. */
export function openFilterPrompt(state: TerminalState, screen: IssuesScreen): TerminalState {
  const { wanted } = screen;
  const spec: PromptSpec<TerminalState> = {
    label: '/ ',
    history: state.memory.queries,
    complete: ({ stack: [screen] }, text, cursor) => filterCompletion(screen, text, cursor),
    check: (text) => tooLong(text, MAX_QUERY_LENGTH - TAB_RESERVE),
    edited: withTypedFilter,
    accept: (now, text) => accept(now, spec, text),
    cancel: (now) => withSource(now, wanted),
  };
  const overlay = openPrompt(spec, wanted.query);
  // Counts and values of the last filter may be old.
  const fresh = withTop(state, { ...screen, unfiltered: undefined, values: new Map() });
  return withTypedFilter({ ...fresh, overlay }, overlay);
}

/** The open filter or search of a list; undefined if none is. */
export function filterPromptOf({ overlay }: TerminalState): Prompt<TerminalState> | undefined {
  return overlay?.kind === 'prompt' && overlay.spec.edited !== undefined ? overlay : undefined;
}

/** What the text of the filter means with the values that are known. */
export function draftOf(screen: IssuesScreen, { draft, cursor }: Prompt<TerminalState>): FilterDraft {
  return readDraft(draft, cursor, 'issues', valuesIn(screen));
}

/** Lists what the typed filter means; a mistake keeps the list. */
export function withTypedFilter(state: TerminalState, prompt: Prompt<TerminalState>): TerminalState {
  const [screen] = state.stack;
  const draft = draftOf(screen, prompt);
  if (draft.kind === 'mistake' || draft.kind === 'waiting') return state;
  const query = draft.query.trim();
  return query === screen.wanted.query ? state : withSource(state, { query });
}

function accept(state: TerminalState, spec: PromptSpec<TerminalState>, text: string): TerminalState {
  const [screen] = state.stack;
  if (readDraft(text, text.length, 'issues', valuesIn(screen)).kind === 'mistake') {
    return { ...state, overlay: openPrompt(spec, text) };
  }
  const query = acceptedQuery(text, text.length, 'issues', valuesIn(screen));
  return withSource({ ...state, memory: withQuery(state.memory, query) }, { query });
}

/** The key of values in `IssuesScreen.values`; counts are those of a tab. */
export function valueKey({ wanted: { tab } }: IssuesScreen, { field, prefix }: NeededValues): string {
  return `${tab} ${field} ${prefix}`;
}

function valuesIn(screen: IssuesScreen) {
  return (field: string): readonly string[] | undefined =>
    screen.values.get(valueKey(screen, { field, prefix: '' }))?.map(({ value }) => value);
}

/** Other names of fields. */
const SECOND_NAMES: readonly string[] = ['environment', 'environments', 'releases'];

/** The candidates at a cursor: fields, and values that were read. */
export function filterCompletion(screen: IssuesScreen, text: string, cursor: number): QueryCompletion {
  const typed = typedField(text, cursor);
  const values = (typed && screen.values.get(valueKey(screen, typed))) ?? [];
  return usefulCandidates(
    completeQuery(text, cursor, 'issues', {
      valuesOf: (field) => values.map(({ value }) => shownValue(field, value)),
      keysOf: () => [],
    }),
  );
}

/** An operator with a value: `>=warn`, `<24h`. */
const WITH_VALUE = /^[<>]=?\w/;

/** Leaves out other names of fields, fields that a plain word searches, and operators without a value. */
export function usefulCandidates(completion: QueryCompletion): QueryCompletion {
  const candidates = completion.candidates.filter(({ kind, text }) => {
    if (kind !== 'field') return kind === 'value' || WITH_VALUE.test(text);
    const field = findQueryField(text.slice(0, -1));
    return field?.isSearchText !== true && !SECOND_NAMES.includes(text.slice(0, -1));
  });
  return { ...completion, candidates };
}
