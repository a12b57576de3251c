import { completeQuery, type QueryCompletion } from '../../../core/query/complete-query.js';
import { MAX_QUERY_LENGTH } from '../../../core/query/parse-query.js';
import { openPrompt } from '../../overlays/prompt.js';
import { knownValues, tooLong, withQuery } from '../../overlays/query-prompt.js';
import type { Prompt, PromptSpec } from '../../state/overlay.js';
import { openEvents, searchFor } from '../../state/status-state.js';
import { popScreen, pushScreen, type TerminalState, topScreen, withTop } from '../../state/terminal-state.js';
import type { Line } from '../../text/line.js';
import { acceptedQuery, type FilterDraft, readDraft } from './filter-draft.js';
import { typedRows } from './filter-lines.js';
import { usefulCandidates } from './filter-prompt.js';

/** Opens the search over all events, or changes the one that is shown; the list follows while it is typed. */
export function openSearchPrompt(state: TerminalState): TerminalState {
  const before = topScreen(state);
  const isOpen = before.kind === 'events';
  const spec: PromptSpec<TerminalState> = {
    label: '/ ',
    history: state.memory.queries,
    complete: searchCompletion,
    check: (text) => tooLong(text, MAX_QUERY_LENGTH),
    edited: withTypedSearch,
    accept: (now, text) => accept(now, spec, text),
    cancel: (now) => (isOpen ? withTop(now, before) : popScreen(now)),
  };
  const overlay = openPrompt(spec, isOpen ? before.query : '');
  // Events may have arrived since the search was read.
  const opened = isOpen
    ? withTop(state, searchFor(before, before.query))
    : pushScreen(state, (key) => openEvents(key, ''));
  return withTypedSearch({ ...opened, overlay }, overlay);
}

/** Searches for a query, unless it is searched for already. */
export function withSearch(state: TerminalState, query: string): TerminalState {
  const screen = topScreen(state);
  return screen.kind === 'events' && screen.query !== query ? withTop(state, searchFor(screen, query)) : state;
}

/** The rows of a search that is being typed: its text with the progress, and completions or the mistake. */
export function searchRows(state: TerminalState, prompt: Prompt<TerminalState>, progress: Line): readonly [Line, Line] {
  return typedRows({
    prompt,
    draft: draftOf(prompt),
    right: progress,
    completion: searchCompletion(state, prompt.draft, prompt.cursor),
    fields: 'level:  service:  user_id:',
    columns: state.size.columns,
  });
}

function draftOf({ draft, cursor }: Prompt<TerminalState>): FilterDraft {
  return readDraft(draft, cursor, 'events', () => []);
}

function withTypedSearch(state: TerminalState, prompt: Prompt<TerminalState>): TerminalState {
  const draft = draftOf(prompt);
  return 'query' in draft ? withSearch(state, draft.query.trim()) : state;
}

function accept(state: TerminalState, spec: PromptSpec<TerminalState>, text: string): TerminalState {
  const overlay = openPrompt(spec, text);
  if (draftOf(overlay).kind === 'mistake') return { ...state, overlay };
  const screen = topScreen(state);
  // Before its events were read, an id that was pasted stays as it is.
  const cursor = screen.kind === 'events' && screen.reading === 'loaded' ? text.length : -1;
  const query = acceptedQuery(text, cursor, 'events', knownValues(state).valuesOf);
  return withSearch({ ...state, memory: withQuery(state.memory, query) }, query);
}

function searchCompletion(state: TerminalState, text: string, cursor: number): QueryCompletion {
  return usefulCandidates(completeQuery(text, cursor, 'events', knownValues(state)));
}
