import type { IssueSummary } from '../../generated/reader-answers.js';
import { type TerminalState, withEffect, withNotice } from '../state/terminal-state.js';
import { afterRedo, afterUndo, type UndoAction, type UndoEntry, type UndoStack } from '../state/undo-stack.js';
import { ago } from '../text/time-words.js';
import { applyActions, withUpdatedIssues } from './apply-actions.js';

/** Asks whether to undo the latest entry of this terminal or, without one, the latest action in the issue's history. */
export function openUndoQuestion(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  const entry = state.undoStack.done.at(-1);
  if (entry === undefined) return openHistoryUndo(state, targets);
  const yes = (now: TerminalState): TerminalState => revert(now, entry, 'Undone', afterUndo);
  return { ...state, overlay: { kind: 'question', text: [`Undo: ${entry.label}?`], yes } };
}

/** Repeats the entry that was undone last, without a question. */
export function redo(state: TerminalState): TerminalState {
  const entry = state.undoStack.undone.at(-1);
  if (entry === undefined) return withNotice(state, 'Nothing to redo.');
  return revert(state, entry, `Redone: ${entry.label}`, afterRedo);
}

/** Reverts an entry's actions by `undo` actions, which can themselves be undone. */
function revert(
  state: TerminalState,
  entry: UndoEntry,
  done: string,
  after: (stack: UndoStack, entry: UndoEntry, actions: readonly UndoAction[]) => UndoStack,
): TerminalState {
  const wanted = entry.actions.map(({ issueId, actionId }) => ({
    issueId,
    request: { action: 'undo' as const, undoes: actionId },
  }));
  return withEffect(state, {
    perform: async (context) => {
      const { issues, actions, failure } = await applyActions(context, wanted);
      return (now) => {
        const updated: TerminalState = {
          ...withUpdatedIssues(now, issues),
          undoStack: after(now.undoStack, entry, actions),
        };
        if (failure === undefined) return withNotice(updated, `${done}.`, 'good');
        const count = `${failure.issueIds.length} of ${wanted.length}`;
        return withNotice(updated, `${done}, but ${count} failed: ${failure.reason}`, 'error');
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
        // Keys typed meanwhile must not answer a question that was not visible.
        if (now.overlay !== undefined) return now;
        if (last === undefined) return withNotice(now, 'Nothing to undo.');
        const entry = { label: last.action, actions: [{ issueId: issue.issue_id, actionId: last.id }] };
        const yes = (then: TerminalState): TerminalState => revert(then, entry, 'Undone', afterUndo);
        const what = last.actor == null ? 'what was done' : `what ${last.actor} did`;
        const question = `Undo ${what} ${ago(last.at, now.nowMs)} (${last.action})?`;
        return { ...now, overlay: { kind: 'question', text: [question], yes } };
      };
    },
  });
}
