import type { IssueId } from '../../core/event/ids.js';

/** One action as it stands in an issue's history. */
export interface UndoAction {
  readonly issueId: IssueId;
  readonly actionId: string;
}

/** What one key did, to one issue or many. */
export interface UndoEntry {
  /** In the past: `Resolved 3 issues`. */
  readonly label: string;
  readonly actions: readonly UndoAction[];
}

/** What was done in this terminal, the latest last; `undone` can be done again until something else is done. */
export interface UndoStack {
  readonly done: readonly UndoEntry[];
  readonly undone: readonly UndoEntry[];
}

export const EMPTY_UNDO_STACK: UndoStack = { done: [], undone: [] };

const MAX_ENTRIES = 100;

/** The deeds after another one; what was undone before can no longer be done again. */
export function withEntry({ done }: UndoStack, deed: UndoEntry): UndoStack {
  return { done: [...done, deed].slice(-MAX_ENTRIES), undone: [] };
}

/** The deeds after one was undone, by actions that may be undone in their turn; what of it could not be undone is still done. */
export function afterUndo({ done, undone }: UndoStack, deed: UndoEntry, parts: readonly UndoAction[]): UndoStack {
  return { done: without(done, deed, parts), undone: having(undone, deed, parts) };
}

/** The deeds after one that was undone was done again; what of it could not be done again is still undone. */
export function afterRedo({ done, undone }: UndoStack, deed: UndoEntry, parts: readonly UndoAction[]): UndoStack {
  return { done: having(done, deed, parts), undone: without(undone, deed, parts) };
}

function having(deeds: readonly UndoEntry[], deed: UndoEntry, parts: readonly UndoAction[]): readonly UndoEntry[] {
  return parts.length === 0 ? deeds : [...deeds, { ...deed, parts }].slice(-MAX_ENTRIES);
}

function without(deeds: readonly UndoEntry[], deed: UndoEntry, parts: readonly UndoAction[]): readonly UndoEntry[] {
  const gone = new Set(parts.map(({ issueId }) => issueId));
  return deeds.flatMap((one) => {
    if (one !== deed) return [one];
    const left = one.actions.filter(({ issueId }) => !gone.has(issueId));
    return left.length === 0 ? [] : [{ ...one, actions: left }];
  });
}
