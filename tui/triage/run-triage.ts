import type { IssueSummary } from '../../generated/reader-answers.js';
import { type TerminalState, withNotice } from '../state/terminal-state.js';
import { type Command, TRIAGE_COMMANDS } from '../terminal/keymap.js';
import { applyToEach, describeIssues } from './apply-actions.js';
import { openIgnoreMenu } from './ignore-menu.js';
import { openMergeQuestion, openSplitMenu } from './merge.js';
import { openResolveMenu } from './resolve-menu.js';
import { openAssigneePrompt, openCommentPrompt } from './text-prompts.js';
import { openUndoQuestion } from './undo.js';

export type TriageCommand = (typeof TRIAGE_COMMANDS)[number];

/** Whether a command changes issues. */
export function isTriage(command: Command): command is TriageCommand {
  return TRIAGE_COMMANDS.some((one) => one === command);
}

/** Opens the menu, prompt or question of a command; a merge keeps the first issue. */
export function runTriage(
  state: TerminalState,
  targets: readonly IssueSummary[],
  command: TriageCommand,
): TerminalState {
  if (command === 'undo') return openUndoQuestion(state);
  if (targets.length === 0) return withNotice(state, 'The list is empty.');
  switch (command) {
    case 'resolve':
    case 'resolve_next':
      return { ...state, overlay: openResolveMenu(targets, command === 'resolve_next') };
    case 'ignore':
      return { ...state, overlay: openIgnoreMenu(state, targets) };
    case 'reopen':
      return openReopenQuestion(state, targets);
    case 'assign':
      return { ...state, overlay: openAssigneePrompt(targets) };
    case 'comment':
      return { ...state, overlay: openCommentPrompt(targets) };
    case 'merge':
      return openMergeQuestion(state, targets);
    case 'split':
      return openSplitMenu(state, targets);
  }
}

function openReopenQuestion(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  const closed = targets.filter(({ status }) => status !== 'open');
  if (closed.length === 0) return withNotice(state, 'Already open.');
  const yes = (now: TerminalState): TerminalState => applyToEach(now, closed, { action: 'reopen' }, 'Reopened');
  return { ...state, overlay: { kind: 'question', text: [`Reopen ${describeIssues(closed)}?`], yes } };
}

/** Whether to offer a command: none without an issue, and `reopen` instead of `resolve` for closed issues. */
export function offersTriage(targets: readonly IssueSummary[], command: TriageCommand): boolean {
  if (targets.length === 0) return false;
  const isClosed = targets.every(({ status }) => status !== 'open');
  if (command === 'resolve') return !isClosed;
  return command === 'reopen' ? isClosed : true;
}
