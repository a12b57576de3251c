import type { Command } from '../../keymap.js';
import type { TerminalState } from '../../state/terminal-state.js';
import { withIssue } from './changing-issue.js';
import { ISSUE_PANES, type IssuePane, type IssueScreen } from './issue-state.js';

/** Whether a command goes to another pane. */
export function isPaneCommand(command: Command): boolean {
  return command.startsWith('pane_');
}

/** The issue with the pane of a command; panes begin at their top. */
export function toPane(state: TerminalState, screen: IssueScreen, command: Command): TerminalState {
  const pane = paneOf(screen.pane, command);
  return pane === undefined || pane === screen.pane ? state : withIssue(state, { ...screen, pane, place: 0 });
}

function paneOf(pane: IssuePane, command: Command): IssuePane | undefined {
  const place = ISSUE_PANES.indexOf(pane);
  if (command === 'pane_next') return ISSUE_PANES[(place + 1) % ISSUE_PANES.length];
  if (command === 'pane_previous') return ISSUE_PANES.at(place - 1);
  return ISSUE_PANES[Number(command.slice('pane_'.length)) - 1];
}
