import type { IssueSummary } from '../../generated/reader-answers.js';
import { type Command, TRIAGE_COMMANDS } from '../keymap.js';
import { type TerminalState, telling } from '../state/terminal-state.js';
import { askAssignee, askComment } from './ask-texts.js';
import { doToEach } from './do-to-issues.js';
import { openIgnoreMenu } from './ignore-menu.js';
import { issuesInWords } from './issue-words.js';
import { askMerge, askSplit } from './merge.js';
import { openResolveMenu } from './resolve-menu.js';
import { askUndo, redo } from './undo.js';

export type TriageCommand = (typeof TRIAGE_COMMANDS)[number];

/** Whether a command changes the life of issues. */
export function isTriage(command: Command): command is TriageCommand {
  return TRIAGE_COMMANDS.some((one) => one === command);
}

/** The state that says what a command will do to some issues, and does it once that is confirmed. The first of several is the one that a merge keeps. */
export function runTriage(
  state: TerminalState,
  targets: readonly IssueSummary[],
  command: TriageCommand,
): TerminalState {
  if (command === 'undo') return askUndo(state, targets);
  if (command === 'redo') return redo(state);
  if (targets.length === 0) return telling(state, 'There is no issue here.');
  switch (command) {
    case 'resolve':
    case 'resolve_next':
      return { ...state, overlay: openResolveMenu(targets, command === 'resolve_next') };
    case 'ignore':
      return { ...state, overlay: openIgnoreMenu(state, targets) };
    case 'reopen':
      return askReopen(state, targets);
    case 'assign':
      return { ...state, overlay: askAssignee(targets) };
    case 'comment':
      return { ...state, overlay: askComment(targets) };
    case 'merge':
      return askMerge(state, targets);
    case 'split':
      return askSplit(state, targets);
  }
}

function askReopen(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  const closed = targets.filter(({ status }) => status !== 'open');
  if (closed.length === 0) return telling(state, 'It is open already.');
  const yes = (now: TerminalState): TerminalState => doToEach(now, closed, { action: 'reopen' }, 'Opened again:');
  return { ...state, overlay: { kind: 'question', text: [`Open ${issuesInWords(closed)} again?`], yes } };
}

/** Whether a command is worth offering for some issues: none is without an issue, and what is closed is opened again rather than resolved. */
export function offersTriage(targets: readonly IssueSummary[], command: TriageCommand): boolean {
  if (targets.length === 0) return false;
  const isClosed = targets.every(({ status }) => status !== 'open');
  if (command === 'resolve') return !isClosed;
  return command === 'reopen' ? isClosed : true;
}
