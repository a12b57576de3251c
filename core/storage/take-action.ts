import type { IssueActions } from './issue-actions.js';
import type { ActionRecord } from './record/action-record.js';

/** Fields in which an action carries what a person reads of it, the first that is there. */
const DETAIL_FIELDS = ['detail', 'undoes', 'text', 'assignee', 'release', 'reason'] as const;

/** Takes a line of the action log for what it means to its issue. */
export function takeAction(actions: IssueActions, { id, action, atMicros, actor, issueId, data }: ActionRecord): void {
  const detail = DETAIL_FIELDS.map((field) => data[field]).find((value) => typeof value === 'string');
  actions.add(issueId, { id, action, atMicros, actor, detail: typeof detail === 'string' ? detail : null });
}
