import { type IssueAction, textIn } from './issue-action.js';

/**
 * Ids of the actions in a whole log, oldest first, that count for nothing: those that an `undo` names, and the consequences of those.
 * `undo` takes one earlier action out exactly, as if it had never been taken; an undone `undo` puts it back; one that names something later or
 * unknown does nothing. A `reopen` with a `cause` is a consequence: it counts while the earlier action that it names does.
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

/** The action of which one is a consequence; undefined where it was taken for itself. */
export function causeOf(action: IssueAction): string | undefined {
  return action.action === 'reopen' ? textIn(action, 'cause') : undefined;
}
