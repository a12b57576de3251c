import type { HistoryEntry } from '../format/issue/history-entries.js';
import { type TerminalState, withEffect, withNotice } from '../state/terminal-state.js';
import { type UndoAction, withoutActions } from '../state/undo-stack.js';
import { applyActions, withUpdatedIssues } from './apply-actions.js';

/** UTF-16 units of a question. */
const MAX_QUESTION = 200;

/** Time within which `u` undoes without a question. */
const AT_ONCE_MS = 10_000;

/** Undoes the latest entry of this terminal, an older one after a question. */
export function undoLatest(state: TerminalState): TerminalState {
  const entry = state.undoStack.at(-1);
  if (entry === undefined) return withNotice(state, 'Nothing to undo. In History, u undoes what others did.');
  if (state.nowMs - entry.atMs <= AT_ONCE_MS) return undo(state, entry.actions);
  return withQuestion(state, `Undo: ${entry.label}?`, entry.actions);
}

/** Asks whether to undo an entry of a history, also that of another person, or to bring back what was undone. */
export function openEntryUndo(state: TerminalState, entry: HistoryEntry | undefined): TerminalState {
  if (entry === undefined) return withNotice(state, 'Nothing to undo.');
  const { undoable, undone } = entry;
  if (undoable === undefined) {
    const isUndone = undone !== undefined;
    return withNotice(state, isUndone ? 'Undone already.' : 'This happened by itself and cannot be undone.');
  }
  const text = `${undone === undefined ? 'Undo' : 'Bring back'}: ${entry.text}?`;
  return withQuestion(state, text.slice(0, MAX_QUESTION), [undoable]);
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
