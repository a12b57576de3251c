import type { IssueDetail } from '../../generated/reader-answers.js';
import { type TerminalState, withEffect, withNotice } from '../state/terminal-state.js';
import { type UndoAction, withoutActions } from '../state/undo-stack.js';
import { ago } from '../text/time-words.js';
import { applyActions, withUpdatedIssues } from './apply-actions.js';

/** Asks whether to undo the latest entry of this terminal. */
export function openUndoQuestion(state: TerminalState): TerminalState {
  const entry = state.undoStack.at(-1);
  if (entry === undefined) return withNotice(state, 'Nothing to undo. In History, u undoes what others did.');
  return withQuestion(state, `Undo: ${entry.label}?`, entry.actions);
}

/** Asks whether to undo the latest action in an issue's history, also of another person. */
export function openHistoryUndo(state: TerminalState, { issue_id: issueId, history }: IssueDetail): TerminalState {
  const last = history.findLast(({ action, undone }) => action !== 'undo' && !undone);
  if (last === undefined) return withNotice(state, 'Nothing to undo.');
  const what = last.actor == null ? 'what was done' : `what ${last.actor} did`;
  const question = `Undo ${what} ${ago(last.at, state.nowMs)} (${last.action})?`;
  return withQuestion(state, question, [{ issueId, actionId: last.id }]);
}

function withQuestion(state: TerminalState, question: string, actions: readonly UndoAction[]): TerminalState {
  return { ...state, overlay: { kind: 'question', text: [question], yes: (now) => undo(now, actions) } };
}

function undo(state: TerminalState, actions: readonly UndoAction[]): TerminalState {
  const wanted = actions.map(({ issueId, actionId }) => ({
    issueId,
    request: { action: 'undo' as const, undoes: actionId },
  }));
  return withEffect(state, {
    perform: async (context) => {
      const { issues, failure } = await applyActions(context, wanted);
      const undone = actions.filter(({ issueId }) => failure?.issueIds.includes(issueId) !== true);
      return (now) => {
        const updated: TerminalState = {
          ...withUpdatedIssues(now, issues),
          undoStack: withoutActions(now.undoStack, undone),
        };
        if (failure === undefined) return withNotice(updated, 'Undone.', 'good');
        const count = `${failure.issueIds.length} of ${wanted.length}`;
        return withNotice(updated, `Undone, but ${count} failed: ${failure.reason}`, 'error');
      };
    },
  });
}
