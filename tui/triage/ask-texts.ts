import type { IssueSummary } from '../../generated/reader-answers.js';
import { openPrompt } from '../overlays/prompt.js';
import type { Prompt } from '../state/overlay.js';
import { type TerminalState, topScreen } from '../state/terminal-state.js';
import { doToEach } from './do-to-issues.js';
import { issuesInWords } from './issue-words.js';

const MAX_NAME_LENGTH = 200;

/** Who takes care of issues. */
export function askAssignee(targets: readonly IssueSummary[]): Prompt<TerminalState> {
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
          ? `nobody will take care of ${issuesInWords(targets)}; Tab offers names`
          : `${text} will take care of ${issuesInWords(targets)}`,
      accept: (state, name) => {
        const verb = name === '' ? 'Took the assignment from' : `Assigned to ${name}:`;
        return doToEach(state, targets, { action: 'assign', assignee: name === '' ? null : name }, verb);
      },
    },
    draft,
  );
}

/** What is said about issues. */
export function askComment(targets: readonly IssueSummary[]): Prompt<TerminalState> {
  return openPrompt({
    label: 'comment: ',
    check: (text) => (text === '' ? { reason: 'Say something, or leave with Esc.', column: undefined } : undefined),
    hint: () => `stands in the history of ${issuesInWords(targets)}`,
    accept: (state, text) => doToEach(state, targets, { action: 'comment', text }, 'Commented on'),
  });
}

/** Names that are assigned to something in the list. */
function knownNames(state: TerminalState): readonly string[] {
  const screen = topScreen(state);
  const [issues] = state.stack;
  const rows = screen.kind === 'issues' ? screen.list.rows : issues.list.rows;
  return [...new Set(rows.flatMap(({ assignee }) => (assignee === null ? [] : [assignee])))].sort();
}
