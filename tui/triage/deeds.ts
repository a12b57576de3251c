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
export interface Deeds {
  readonly done: readonly Deed[];
  readonly undone: readonly Deed[];
}

export const NO_DEEDS: Deeds = { done: [], undone: [] };

const MAX_DEEDS = 100;

/** The deeds after another one; what was undone before can no longer be done again. */
export function afterDeed({ done }: Deeds, deed: Deed): Deeds {
  return { done: [...done, deed].slice(-MAX_DEEDS), undone: [] };
}

/** The deeds after the latest one was undone, by actions that may be undone in their turn. */
export function afterUndo({ done, undone }: Deeds, parts: readonly DeedPart[]): Deeds {
  const deed = done.at(-1);
  if (deed === undefined) return { done, undone };
  return { done: done.slice(0, -1), undone: [...undone, { ...deed, parts }] };
}

/** The deeds after what was undone last was done again. */
export function afterRedo({ done, undone }: Deeds, parts: readonly DeedPart[]): Deeds {
  const deed = undone.at(-1);
  if (deed === undefined) return { done, undone };
  return { done: [...done, { ...deed, parts }], undone: undone.slice(0, -1) };
}
