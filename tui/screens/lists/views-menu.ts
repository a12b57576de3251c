import { ISSUE_SORTS, type IssueSort } from '../../../core/contract/reader.js';
import { openMenu } from '../../overlays/menu.js';
import { openPrompt } from '../../overlays/prompt.js';
import { queryProblem } from '../../overlays/query-prompt.js';
import { MEMORY_LIMITS, type RememberedView } from '../../preferences/session-memory.js';
import { ISSUE_TABS } from '../../state/issue-tabs.js';
import type { IssueSource, IssuesScreen } from '../../state/issues-state.js';
import type { Menu, MenuItem } from '../../state/overlay.js';
import { type TerminalState, withNotice } from '../../state/terminal-state.js';
import { cutToCells } from '../../text/visible.js';
import { withSource } from './list-changes.js';

const MAX_NAME_LENGTH = 60;
const NAME_CELLS = 30;

/** Opens the menu of saved filters: apply one, save the current one, delete one. */
export function openViews(state: TerminalState, screen: IssuesScreen): TerminalState {
  const { views } = state.memory;
  const saved = views.map(
    (view, index): MenuItem<TerminalState> => ({
      ...(index < 9 && { key: String(index + 1) }),
      label: view.name,
      detail: describeView(view),
      run: (now) => {
        const source = sourceOf(view);
        return source === undefined
          ? withNotice(
              now,
              `"${cutToCells(view.name, NAME_CELLS)}" was saved by another version and cannot be used.`,
              'error',
            )
          : withSource(now, source);
      },
    }),
  );
  const save = {
    key: 's',
    label: 'save this filter',
    detail: describeView(screen.wanted),
    run: openNamePrompt(screen),
  };
  const remove = { key: 'd', label: 'delete a saved filter', run: openDeleteMenu };
  return { ...state, overlay: openMenu('Saved filters', [...saved, save, ...(views.length > 0 ? [remove] : [])]) };
}

/** The list parameters of a saved filter; undefined if another version saved it and this one cannot use it. */
export function sourceOf(view: Omit<RememberedView, 'name'>): IssueSource | undefined {
  const tab = ISSUE_TABS.find((one) => one === view.tab);
  const sort = ISSUE_SORTS.find((one) => one === view.sort);
  if (tab === undefined || sort === undefined || queryProblem(view.query, 'issues') !== undefined) return undefined;
  return { query: view.query, tab, sort };
}

function describeView({ tab, query, sort }: Omit<RememberedView, 'name'>): string {
  return `${tab}${query === '' ? '' : ` · ${query}`} · by ${sort.replaceAll('_', ' ')}`;
}

function openNamePrompt({ wanted }: IssuesScreen): (state: TerminalState) => TerminalState {
  return (state) => ({
    ...state,
    overlay: openPrompt({
      label: 'name: ',
      history: state.memory.views.map(({ name }) => name),
      check: (name) => {
        if (name === '') return { reason: 'Enter a name.', column: undefined };
        const isShort = name.length <= MAX_NAME_LENGTH;
        return isShort ? undefined : { reason: `At most ${MAX_NAME_LENGTH} characters.`, column: MAX_NAME_LENGTH + 1 };
      },
      hint: (now, name) =>
        now.memory.views.some((view) => view.name === name) ? 'replaces the existing one' : describeView(wanted),
      accept: (now, name) => {
        const others = now.memory.views.filter((view) => view.name !== name);
        const views = [...others, { name, ...wanted }].slice(-MEMORY_LIMITS.views);
        return withNotice(
          { ...now, memory: { ...now.memory, views } },
          `Saved as "${name}". v shows saved filters.`,
          'good',
        );
      },
    }),
  });
}

function openDeleteMenu(state: TerminalState): TerminalState {
  const items = state.memory.views.map(({ name }, index) => ({
    ...(index < 9 && { key: String(index + 1) }),
    label: name,
    run: (now: TerminalState): TerminalState => {
      const views = now.memory.views.filter((view) => view.name !== name);
      return withNotice({ ...now, memory: { ...now.memory, views } }, `Deleted "${name}".`);
    },
  }));
  return { ...state, overlay: openMenu('Delete a saved filter', items) };
}

/** The key, label and direction of each order. */
export const SORT_LABELS: Readonly<Record<IssueSort, { key: string; words: string; first: string }>> = {
  last_seen: { key: 'l', words: 'last seen', first: 'newest first' },
  first_seen: { key: 'f', words: 'first seen', first: 'newest first' },
  status: { key: 't', words: 'needs attention', first: 'came back, spiking, new, then by level' },
  level: { key: 'v', words: 'level', first: 'most severe first' },
  count: { key: 'c', words: 'events', first: 'most first' },
  trend: { key: 'd', words: 'events in 24h', first: 'most first' },
  users: { key: 'u', words: 'users', first: 'most first' },
};

/** Opens the menu of orders. */
export function openSortMenu(screen: IssuesScreen): Menu<TerminalState> {
  const items = ISSUE_SORTS.map((sort) => {
    const { key, words, first } = SORT_LABELS[sort];
    return { key, label: words, detail: first, run: (state: TerminalState) => withSource(state, { sort }) };
  });
  const menu = openMenu('Sort', items);
  return { ...menu, selected: ISSUE_SORTS.indexOf(screen.wanted.sort) };
}
