import type { IssueSummary } from '../../generated/reader-answers.js';
import { asking, type TerminalState, telling } from '../state/terminal-state.js';
import { afterRedo, afterUndo, type Deed, type DeedPart, type UndoStack } from '../state/undo-stack.js';
import { ago } from '../text/time-words.js';
import { issuesInWords } from './issue-words.js';
import { showIssues } from './show-issues.js';
import { takeActions } from './take-actions.js';

/** Asks whether the latest deed of this terminal is undone; where nothing was done here, the latest action on the issue by anyone. */
export function askUndo(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  const deed = state.deeds.done.at(-1);
  if (deed === undefined) return askUndoOfHistory(state, targets);
  const yes = (now: TerminalState): TerminalState => reversing(now, deed, `Undone: ${deed.words}`, afterUndo);
  return { ...state, overlay: { kind: 'question', text: [`Undo: ${deed.words}?`], yes } };
}

/** Does again what was undone last, without asking: it was asked for before. */
export function redo(state: TerminalState): TerminalState {
  const deed = state.deeds.undone.at(-1);
  if (deed === undefined) return telling(state, 'Nothing was undone here.');
  return reversing(state, deed, `Done again: ${deed.words}`, afterRedo);
}

/** Takes back the actions of a deed by actions that can be taken back in their turn. */
function reversing(
  state: TerminalState,
  deed: Deed,
  words: string,
  after: (deeds: UndoStack, deed: Deed, parts: readonly DeedPart[]) => UndoStack,
): TerminalState {
  const wanted = deed.parts.map(({ issueId, actionId }) => ({
    issueId,
    request: { action: 'undo' as const, undoes: actionId },
  }));
  return asking(state, {
    perform: async (outside) => {
      const { issues, parts, failure } = await takeActions(outside, wanted);
      return (now) => {
        const shown = { ...showIssues(now, issues), deeds: after(now.deeds, deed, parts) };
        if (failure === undefined) return telling(shown, `${words}.`, 'good');
        const count = `${failure.issueIds.length} of ${wanted.length}`;
        return telling(shown, `${words}, but ${count} failed: ${failure.reason}`, 'error');
      };
    },
  });
}

function askUndoOfHistory(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  const [issue] = targets;
  if (issue === undefined) return state;
  return asking(state, {
    perform: async ({ reader }) => {
      const detail = await reader.getIssue(issue.issue_id);
      const last = detail?.history.findLast(({ action, undone }) => action !== 'undo' && !undone);
      return (now) => {
        // A person who typed meanwhile must not answer a question that was not seen.
        if (now.overlay !== undefined) return now;
        if (last === undefined) return telling(now, 'Nothing was done to this issue that could be undone.');
        const who = last.actor ?? 'somebody';
        const words = `${last.action} of ${issuesInWords([issue])}`;
        const deed = { words, parts: [{ issueId: issue.issue_id, actionId: last.id }] };
        const yes = (then: TerminalState): TerminalState => reversing(then, deed, `Undone: ${words}`, afterUndo);
        const question = `Undo: ${words}, by ${who}, ${ago(last.at, now.nowMs)}?`;
        return { ...now, overlay: { kind: 'question', text: [question], yes } };
      };
    },
  });
}
