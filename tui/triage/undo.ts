import type { IssueSummary } from '../../generated/reader-answers.js';
import { type TerminalState, withEffect, withNotice } from '../state/terminal-state.js';
import { afterRedo, afterUndo, type UndoAction, type UndoEntry, type UndoStack } from '../state/undo-stack.js';
import { ago } from '../text/time-words.js';
import { applyActions, withUpdatedIssues } from './apply-actions.js';
import { describeIssues } from './describe-issues.js';

/** Asks whether the latest deed of this terminal is undone; where nothing was done here, the latest action on the issue by anyone. */
export function openUndoQuestion(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  const deed = state.undoStack.done.at(-1);
  if (deed === undefined) return openHistoryUndo(state, targets);
  const yes = (now: TerminalState): TerminalState => reverse(now, deed, `Undone: ${deed.label}`, afterUndo);
  return { ...state, overlay: { kind: 'question', text: [`Undo: ${deed.label}?`], yes } };
}

/** Does again what was undone last, without asking: it was asked for before. */
export function redo(state: TerminalState): TerminalState {
  const deed = state.undoStack.undone.at(-1);
  if (deed === undefined) return withNotice(state, 'Nothing was undone here.');
  return reverse(state, deed, `Done again: ${deed.label}`, afterRedo);
}

/** Takes back the actions of a deed by actions that can be taken back in their turn. */
function reverse(
  state: TerminalState,
  deed: UndoEntry,
  words: string,
  after: (deeds: UndoStack, deed: UndoEntry, parts: readonly UndoAction[]) => UndoStack,
): TerminalState {
  const wanted = deed.actions.map(({ issueId, actionId }) => ({
    issueId,
    request: { action: 'undo' as const, undoes: actionId },
  }));
  return withEffect(state, {
    perform: async (outside) => {
      const { issues, actions: parts, failure } = await applyActions(outside, wanted);
      return (now) => {
        const shown = { ...withUpdatedIssues(now, issues), deeds: after(now.undoStack, deed, parts) };
        if (failure === undefined) return withNotice(shown, `${words}.`, 'good');
        const count = `${failure.issueIds.length} of ${wanted.length}`;
        return withNotice(shown, `${words}, but ${count} failed: ${failure.reason}`, 'error');
      };
    },
  });
}

function openHistoryUndo(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  const [issue] = targets;
  if (issue === undefined) return state;
  return withEffect(state, {
    perform: async ({ reader }) => {
      const detail = await reader.getIssue(issue.issue_id);
      const last = detail?.history.findLast(({ action, undone }) => action !== 'undo' && !undone);
      return (now) => {
        // A person who typed meanwhile must not answer a question that was not seen.
        if (now.overlay !== undefined) return now;
        if (last === undefined) return withNotice(now, 'Nothing was done to this issue that could be undone.');
        const who = last.actor ?? 'somebody';
        const words = `${last.action} of ${describeIssues([issue])}`;
        const deed = { label: words, actions: [{ issueId: issue.issue_id, actionId: last.id }] };
        const yes = (then: TerminalState): TerminalState => reverse(then, deed, `Undone: ${words}`, afterUndo);
        const question = `Undo: ${words}, by ${who}, ${ago(last.at, now.nowMs)}?`;
        return { ...now, overlay: { kind: 'question', text: [question], yes } };
      };
    },
  });
}
