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
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/** The entries of this terminal, latest last. */
export type UndoStack = readonly UndoEntry[];

const MAX_ENTRIES = 100;

/** Adds an entry. */
export function withEntry(stack: UndoStack, entry: UndoEntry): UndoStack {
  return [...stack, entry].slice(-MAX_ENTRIES);
}

/** Removes actions that were undone. */
export function withoutActions(stack: UndoStack, undone: readonly UndoAction[]): UndoStack {
  const removed = new Set(undone.map(({ actionId }) => actionId));
  return stack.flatMap((entry) => {
    const actions = entry.actions.filter(({ actionId }) => !removed.has(actionId));
    return actions.length === 0 ? [] : [{ ...entry, actions }];
  });
}
