import { ISSUE_SORTS, type IssueSort } from '../../../core/contract/reader.js';
import { openMenu } from '../../overlays/menu.js';
import type { IssuesScreen } from '../../state/issues-state.js';
import type { Menu } from '../../state/overlay.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { withSource } from './list-changes.js';

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
