import type { IssueId } from '../../core/event/ids.js';

/** An action in an issue's history. */
export interface UndoAction {
  readonly issueId: IssueId;
  readonly actionId: string;
}

/** The actions of one key, on one issue or several. */
export interface UndoEntry {
  /** In the past tense: `Resolved 3 issues`. */
  readonly label: string;
  readonly actions: readonly UndoAction[];
}

/** The entries of this terminal, latest last; a new entry clears `undone`. */
export interface UndoStack {
  readonly done: readonly UndoEntry[];
  readonly undone: readonly UndoEntry[];
}

export const EMPTY_UNDO_STACK: UndoStack = { done: [], undone: [] };

const MAX_ENTRIES = 100;

/** Adds an entry and clears what could be redone. */
export function withEntry({ done }: UndoStack, entry: UndoEntry): UndoStack {
  return { done: [...done, entry].slice(-MAX_ENTRIES), undone: [] };
}

/** Moves the actions of an entry that were undone to `undone`; those that failed stay in `done`. */
export function afterUndo({ done, undone }: UndoStack, entry: UndoEntry, actions: readonly UndoAction[]): UndoStack {
  return { done: without(done, entry, actions), undone: plus(undone, entry, actions) };
}

/** Moves the actions of an entry that were redone back to `done`; those that failed stay in `undone`. */
export function afterRedo({ done, undone }: UndoStack, entry: UndoEntry, actions: readonly UndoAction[]): UndoStack {
  return { done: plus(done, entry, actions), undone: without(undone, entry, actions) };
}

function plus(entries: readonly UndoEntry[], entry: UndoEntry, actions: readonly UndoAction[]): readonly UndoEntry[] {
  return actions.length === 0 ? entries : [...entries, { ...entry, actions }].slice(-MAX_ENTRIES);
}

function without(
  entries: readonly UndoEntry[],
  entry: UndoEntry,
  actions: readonly UndoAction[],
): readonly UndoEntry[] {
  const removed = new Set(actions.map(({ issueId }) => issueId));
  return entries.flatMap((one) => {
    if (one !== entry) return [one];
    const left = one.actions.filter(({ issueId }) => !removed.has(issueId));
    return left.length === 0 ? [] : [{ ...one, actions: left }];
  });
}
