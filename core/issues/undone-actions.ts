import { type IssueAction, textIn } from './issue-action.js';

/**
 * Ids of the actions of a whole log, oldest first, that have no effect: those named by an `undo`, and their consequences. An undone `undo` restores its action; an `undo`
 * of a later or unknown action does nothing. A `reopen` with a `cause` is a consequence of that earlier action.
 */
export function undoneActions(log: readonly IssueAction[]): ReadonlySet<string> {
  const undone = new Set<string>();
  const named = new Set<string>();
  for (const action of log.toReversed()) {
    if (named.delete(action.id)) undone.add(action.id);
    else if (action.action === 'undo') {
      const undoes = textIn(action, 'undoes');
      if (undoes !== undefined) named.add(undoes);
    }
  }
  const standing = new Set<string>();
  for (const action of log) {
    const cause = causeOf(action);
    if (cause !== undefined && !standing.has(cause)) undone.add(action.id);
    if (!undone.has(action.id)) standing.add(action.id);
  }
  return undone;
}

/** The id of the action that caused this one; undefined if a person took it. */
export function causeOf(action: IssueAction): string | undefined {
  return action.action === 'reopen' ? textIn(action, 'cause') : undefined;
}
