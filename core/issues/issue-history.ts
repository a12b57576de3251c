import type { IssueHistoryEntry } from '../../generated/reader-answers.js';
import { formatTimestamp, instantFromMicros } from '../normalize/timestamp.js';
import { causeOf, type IssueAction, textIn, textsIn } from './issue-action.js';
import { awaitedRelease } from './lifecycle.js';
import { printSnooze } from './snooze.js';

/** The detail that the history shows for an action. */
const DETAILS: ReadonlyMap<string, (action: IssueAction) => string | null> = new Map([
  ['resolve', awaitedRelease],
  ['ignore', printSnooze],
  ['assign', (action) => textIn(action, 'assignee') ?? null],
  ['reopen', (action) => causeOf(action) ?? null],
  ['comment', (action) => textIn(action, 'text') ?? null],
  ['merge', namedIssues],
  ['split', namedIssues],
  ['undo', (action) => textIn(action, 'undoes') ?? null],
]);

/** The history of an issue, oldest first, including undone actions and their `undo`. */
export function issueHistory(
  actions: readonly IssueAction[],
  isUndone: (actionId: string) => boolean,
): IssueHistoryEntry[] {
  return actions.map((action) => ({
    id: action.id,
    issue_id: action.issueId,
    at: formatTimestamp(instantFromMicros(action.atMicros)),
    action: action.action,
    actor: action.actor,
    detail: DETAILS.get(action.action)?.(action) ?? null,
    reason: textIn(action, 'reason') ?? null,
    undone: isUndone(action.id),
  }));
}

function namedIssues(action: IssueAction): string | null {
  const issues = textsIn(action, 'issues');
  return issues.length === 0 ? null : issues.join(', ');
}
