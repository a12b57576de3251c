import type { IssueSummary } from '../../generated/reader-answers.js';
import { openPrompt } from '../overlays/prompt.js';
import type { Prompt } from '../state/overlay.js';
import { type TerminalState, topScreen } from '../state/terminal-state.js';
import { applyToEach } from './apply-actions.js';
import { describeIssues } from './describe-issues.js';

const MAX_NAME_LENGTH = 200;

/** Who takes care of issues. */
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
        text === ''
          ? `nobody will take care of ${describeIssues(targets)}; Tab offers names`
          : `${text} will take care of ${describeIssues(targets)}`,
      accept: (state, name) => {
        const verb = name === '' ? 'Took the assignment from' : `Assigned to ${name}:`;
        return applyToEach(state, targets, { action: 'assign', assignee: name === '' ? null : name }, verb);
      },
    },
    draft,
  );
}

/** What is said about issues. */
export function openCommentPrompt(targets: readonly IssueSummary[]): Prompt<TerminalState> {
  return openPrompt({
    label: 'comment: ',
    check: (text) => (text === '' ? { reason: 'Say something, or leave with Esc.', column: undefined } : undefined),
    hint: () => `stands in the history of ${describeIssues(targets)}`,
    accept: (state, text) => applyToEach(state, targets, { action: 'comment', text }, 'Commented on'),
  });
}

/** Names that are assigned to something in the list. */
function knownNames(state: TerminalState): readonly string[] {
  const screen = topScreen(state);
  const [issues] = state.stack;
  const rows = screen.kind === 'issues' ? screen.list.rows : issues.list.rows;
  return [...new Set(rows.flatMap(({ assignee }) => (assignee === null ? [] : [assignee])))].sort();
}
