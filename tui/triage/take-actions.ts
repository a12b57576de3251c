import { Fault } from '../../core/event/fault.js';
import type { IssueId } from '../../core/event/ids.js';
import type { ActionRequest, IssueDetail } from '../../generated/reader-answers.js';
import type { Outside } from '../state/outside.js';
import type { DeedPart } from '../state/undo-stack.js';

/** One action to be taken. */
export interface WantedAction {
  readonly issueId: IssueId;
  readonly request: ActionRequest;
}

/** What came of some actions. */
export interface TakenActions {
  readonly issues: readonly IssueDetail[];
  /** One for each action that was taken. */
  readonly parts: readonly DeedPart[];
  /** The first reason, where some failed. */
  readonly failure: { readonly reason: string; readonly issueIds: readonly IssueId[] } | undefined;
}

/** Takes actions one after the other, signed with the person's name; what fails does not hold up the others. Throws the fault where there is only one action. */
export async function takeActions({ reader, actor }: Outside, wanted: readonly WantedAction[]): Promise<TakenActions> {
  const issues: IssueDetail[] = [];
  const parts: DeedPart[] = [];
  let failure: TakenActions['failure'];
  for (const { issueId, request } of wanted) {
    try {
      if (reader.act === undefined) throw new Fault('READ_ONLY', 'What is read here cannot be changed from here.');
      const signed = actor === undefined ? request : { ...request, actor };
      const issue = await reader.act(issueId, signed);
      issues.push(issue);
      const taken = issue.history.findLast(({ action }) => action === request.action);
      if (taken !== undefined) parts.push({ issueId, actionId: taken.id });
    } catch (error) {
      if (!(error instanceof Fault) || wanted.length === 1) throw error;
      failure = { reason: failure?.reason ?? error.message, issueIds: [...(failure?.issueIds ?? []), issueId] };
    }
  }
  return { issues, parts, failure };
}
