import type { IssueId } from '../../core/event/ids.js';

/** One action as it stands in an issue's history. */
export interface DeedPart {
  readonly issueId: IssueId;
  readonly actionId: string;
}

/** What one key did, to one issue or many. */
export interface Deed {
  /** In the past: `Resolved 3 issues`. */
  readonly words: string;
  readonly parts: readonly DeedPart[];
}

/** What was done in this terminal, the latest last; `undone` can be done again until something else is done. */
export interface UndoStack {
  readonly done: readonly Deed[];
  readonly undone: readonly Deed[];
}

export const NO_DEEDS: UndoStack = { done: [], undone: [] };

const MAX_DEEDS = 100;

/** The deeds after another one; what was undone before can no longer be done again. */
export function afterDeed({ done }: UndoStack, deed: Deed): UndoStack {
  return { done: [...done, deed].slice(-MAX_DEEDS), undone: [] };
}

/** The deeds after one was undone, by actions that may be undone in their turn; what of it could not be undone is still done. */
export function afterUndo({ done, undone }: UndoStack, deed: Deed, parts: readonly DeedPart[]): UndoStack {
  return { done: without(done, deed, parts), undone: having(undone, deed, parts) };
}

/** The deeds after one that was undone was done again; what of it could not be done again is still undone. */
export function afterRedo({ done, undone }: UndoStack, deed: Deed, parts: readonly DeedPart[]): UndoStack {
  return { done: having(done, deed, parts), undone: without(undone, deed, parts) };
}

function having(deeds: readonly Deed[], deed: Deed, parts: readonly DeedPart[]): readonly Deed[] {
  return parts.length === 0 ? deeds : [...deeds, { ...deed, parts }].slice(-MAX_DEEDS);
}

function without(deeds: readonly Deed[], deed: Deed, parts: readonly DeedPart[]): readonly Deed[] {
  const gone = new Set(parts.map(({ issueId }) => issueId));
  return deeds.flatMap((one) => {
    if (one !== deed) return [one];
    const left = one.parts.filter(({ issueId }) => !gone.has(issueId));
    return left.length === 0 ? [] : [{ ...one, parts: left }];
  });
}
