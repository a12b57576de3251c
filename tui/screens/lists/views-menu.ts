import { ISSUE_SORTS } from '../../../core/contract/reader.js';
import { openMenu } from '../../overlays/menu.js';
import { openPrompt } from '../../overlays/prompt.js';
import { queryProblem } from '../../overlays/query-prompt.js';
import { MEMORY_LIMITS, type RememberedView } from '../../preferences/session-memory.js';
import { ISSUE_TABS, type IssueSource, type IssuesScreen } from '../../state/issues-state.js';
import type { MenuItem } from '../../state/overlay.js';
import { type TerminalState, withNotice } from '../../state/terminal-state.js';
import { cutToCells } from '../../text/visible.js';
import { withSource } from './list-changes.js';

const MAX_NAME_LENGTH = 60;
/** Of a name in a sentence, so that the rest of it is seen too. */
const NAME_CELLS = 30;

/** The saved views: to look through one, to save what is looked at, to forget one. */
export function openViews(state: TerminalState, screen: IssuesScreen): TerminalState {
  const { views } = state.memory;
  const saved = views.map(
    (view, place): MenuItem<TerminalState> => ({
      ...(place < 9 && { key: String(place + 1) }),
      label: view.name,
      detail: describeView(view),
      run: (now) => {
        const source = sourceOf(view);
        return source === undefined
          ? withNotice(now, `"${cutToCells(view.name, NAME_CELLS)}" cannot be listed by this version.`, 'error')
          : withSource(now, source);
      },
    }),
  );
  const save = { key: 's', label: 'save this view', detail: describeView(screen.wanted), run: openNamePrompt(screen) };
  const forget = { key: 'd', label: 'forget a view', run: openDeleteMenu };
  return { ...state, overlay: openMenu('Views', [...saved, save, ...(views.length > 0 ? [forget] : [])]) };
}

/** What a remembered view lists; undefined where it is of another version and cannot be listed here. */
export function sourceOf(view: Omit<RememberedView, 'name'>): IssueSource | undefined {
  const tab = ISSUE_TABS.find((one) => one === view.tab);
  const sort = ISSUE_SORTS.find((one) => one === view.sort);
  if (tab === undefined || sort === undefined || queryProblem(view.query, 'issues') !== undefined) return undefined;
  return { query: view.query, tab, sort, isGrouped: view.isGrouped };
}

function describeView({ tab, query, sort, isGrouped }: Omit<RememberedView, 'name'>): string {
  const group = isGrouped ? 'by service, ' : '';
  return `${tab}${query === '' ? '' : ` · ${query}`} · ${group}by ${sort.replaceAll('_', ' ')}`;
}

function openNamePrompt({ wanted }: IssuesScreen): (state: TerminalState) => TerminalState {
  return (state) => ({
    ...state,
    overlay: openPrompt({
      label: 'save this view as: ',
      history: state.memory.views.map(({ name }) => name),
      check: (name) => {
        if (name === '') return { reason: 'Give it a name.', column: undefined };
        const isShort = name.length <= MAX_NAME_LENGTH;
        return isShort ? undefined : { reason: `At most ${MAX_NAME_LENGTH} characters.`, column: MAX_NAME_LENGTH + 1 };
      },
      hint: (now, name) =>
        now.memory.views.some((view) => view.name === name) ? 'replaces the view of that name' : describeView(wanted),
      accept: (now, name) => {
        const others = now.memory.views.filter((view) => view.name !== name);
        const views = [...others, { name, ...wanted }].slice(-MEMORY_LIMITS.views);
        return withNotice(
          { ...now, memory: { ...now.memory, views } },
          `Saved as "${name}"; v lists the views.`,
          'good',
        );
      },
    }),
  });
}

function openDeleteMenu(state: TerminalState): TerminalState {
  const items = state.memory.views.map(({ name }, place) => ({
    ...(place < 9 && { key: String(place + 1) }),
    label: name,
    run: (now: TerminalState): TerminalState => {
      const views = now.memory.views.filter((view) => view.name !== name);
      return withNotice({ ...now, memory: { ...now.memory, views } }, `Forgot "${name}".`);
    },
  }));
  return { ...state, overlay: openMenu('Forget', items) };
}
