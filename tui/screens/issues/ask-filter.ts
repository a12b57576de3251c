import { askQuery } from '../../search/ask-query.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { TAB_RESERVE } from './issue-tabs.js';
import type { IssuesScreen } from './issues-state.js';
import { wanting } from './wanting.js';

/** Asks for a filter, beginning with the one that is in force. */
export function askFilter(state: TerminalState, { wanted }: IssuesScreen): TerminalState {
  const overlay = askQuery(state, {
    label: '/',
    subject: 'issues',
    draft: wanted.query,
    reserved: TAB_RESERVE,
    accept: (now, query) => wanting(now, { query }),
  });
  return { ...state, overlay };
}
