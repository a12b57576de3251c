import type { IssueHistoryEntry } from '../../generated/reader-answers.js';
import { formatTimestamp, instantFromMicros } from '../normalize/timestamp.js';
import { type IssueAction, textIn, textsIn } from './issue-action.js';
import { waitsFor } from './lifecycle.js';
import { printSnooze } from './snooze.js';

/** What a person reads of an action; of others the text that it carries. */
const DETAILS: ReadonlyMap<string, (action: IssueAction) => string | null> = new Map([
  ['resolve', waitsFor],
  ['ignore', printSnooze],
  ['assign', (action) => textIn(action, 'assignee') ?? null],
  ['comment', (action) => textIn(action, 'text') ?? null],
  ['merge', namedIssues],
  ['split', namedIssues],
  ['undo', (action) => textIn(action, 'undoes') ?? null],
]);

/** The actions of an issue as people read them, oldest first; undone ones and their `undo` stay. */
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
