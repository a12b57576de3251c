import type { IssueSummary } from '../../generated/reader-answers.js';
import { openPrompt } from '../overlays/prompt.js';
import type { Prompt } from '../state/overlay.js';
import { type TerminalState, topScreen } from '../state/terminal-state.js';
import { applyToEach, describeIssues } from './apply-actions.js';

const MAX_NAME_LENGTH = 200;

/** Opens the prompt for an assignee; an empty name unassigns. */
export function openAssigneePrompt(targets: readonly IssueSummary[]): Prompt<TerminalState> {
  const [first] = targets;
  const draft = targets.length === 1 ? (first?.assignee ?? '') : '';
  return openPrompt(
    {
      label: 'assign to: ',
      complete: (state, text) => ({
        from: 0,
        to: text.length,
        candidates: knownNames(state)
          .filter((name) => name.startsWith(text))
          .map((name) => ({ text: name, kind: 'value' })),
      }),
      check: (text) =>
        text.length <= MAX_NAME_LENGTH
          ? undefined
          : { reason: `A name has at most ${MAX_NAME_LENGTH} characters.`, column: MAX_NAME_LENGTH + 1 },
      hint: (_state, text) =>
        text === '' ? 'Enter a name; Tab completes. Empty: unassign.' : `Assign ${describeIssues(targets)} to ${text}`,
      accept: (state, name) => {
        const verb = name === '' ? 'Unassigned' : `Assigned to ${name}:`;
        return applyToEach(state, targets, { action: 'assign', assignee: name === '' ? null : name }, verb);
      },
    },
    draft,
  );
}

/** Opens the prompt for a comment. */
export function openCommentPrompt(targets: readonly IssueSummary[]): Prompt<TerminalState> {
  return openPrompt({
    label: 'comment: ',
    check: (text) => (text === '' ? { reason: 'Enter a comment. Esc cancels.', column: undefined } : undefined),
    hint: () => `Shown in the history of ${describeIssues(targets)}.`,
    accept: (state, text) => applyToEach(state, targets, { action: 'comment', text }, 'Comment added to'),
  });
}

/** Assignees in the list of issues. */
function knownNames(state: TerminalState): readonly string[] {
  const screen = topScreen(state);
  const [issues] = state.stack;
  const rows = screen.kind === 'issues' ? screen.list.rows : issues.list.rows;
  return [...new Set(rows.flatMap(({ assignee }) => (assignee === null ? [] : [assignee])))].sort();
}
