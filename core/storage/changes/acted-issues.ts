import type { IssueId } from '../../event/ids.js';
import { type IssueAction, issueIdsIn, textIn } from '../../issues/issue-action.js';
import type { IssueActions } from '../issue-actions.js';

/** What is asked of the actions of a store. */
export type ActedSource = Pick<IssueActions, 'log' | 'follow'>;

/** The issues that actions after an instant changed, as they are identified now, with the instant of the last of these actions. */
export function actedIssues(actions: ActedSource, afterMicros: number): ReadonlyMap<IssueId, number> {
  const changed = new Map<IssueId, number>();
  for (const action of actionsAfter(actions.log, afterMicros)) {
    for (const issueId of touchedBy(action, actions)) changed.set(issueId, action.atMicros);
  }
  return changed;
}

/** Oldest first; looks only at those and one more. */
function actionsAfter(log: readonly IssueAction[], afterMicros: number): readonly IssueAction[] {
  const last = log.findLastIndex(({ atMicros }) => atMicros <= afterMicros);
  return log.slice(last + 1);
}

/** The issue it was taken on, those it names, and for an `undo` those of what it undid, however many undo each other. */
function touchedBy(action: IssueAction, { log, follow }: ActedSource): readonly IssueId[] {
  const touched: IssueId[] = [];
  const seen = new Set<string>();
  for (let one: IssueAction | undefined = action; one !== undefined && !seen.has(one.id); ) {
    const { id, issueId, atMicros } = one;
    seen.add(id);
    for (const named of [issueId, ...issueIdsIn(one, 'issues')]) touched.push(...follow(named, atMicros));
    const undone: string | undefined = one.action === 'undo' ? textIn(one, 'undoes') : undefined;
    one = undone === undefined ? undefined : log.find((other) => other.id === undone);
  }
  return touched;
}
