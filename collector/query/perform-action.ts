import type { IncomingMessage } from 'node:http';
import type { FailureActions } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import type { IssueId } from '../../core/event/ids.js';
import { ActionFault, checkActionRequest, checkDecider } from '../../core/issues/action-request.js';
import type { Decision } from '../../core/storage/regroup/regrouping.js';
import type { DecidedSuggestion, IssueDetail, RegroupJob } from '../../generated/reader-answers.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { jsonPointer, readJsonBody } from './read-json-body.js';
import type { RegroupJobs } from './regroup-jobs.js';

/** The member that a fault without one is about. */
const MEMBER_OF_FAULT: Readonly<Record<string, string>> = {
  SNOOZE_INVALID: 'snooze',
  ACTION_NOT_FOUND: 'undoes',
  ISSUES_NOT_MERGED: 'issues',
};

/** Performs the action in a request's body and returns the updated issue. Faults about a member name it as a JSON pointer in `field`. */
export async function performAction(
  request: IncomingMessage,
  issueId: IssueId,
  actions: () => FailureActions,
): Promise<IssueDetail> {
  return await namingField(request, (body) => actions().act(issueId, checkActionRequest(body)));
}

/** Decides about a suggestion and returns the decision, or the job that makes it. Faults as above. */
export async function performDecision(
  request: IncomingMessage,
  id: string,
  decision: Decision,
  jobs: RegroupJobs,
): Promise<DecidedSuggestion | RegroupJob> {
  return await namingField(request, async (body) => jobs.decide(id, decision, checkDecider(body)));
}

async function namingField<Result>(
  request: IncomingMessage,
  perform: (body: unknown) => Promise<Result>,
): Promise<Result> {
  const body = await readJsonBody(request);
  try {
    return await perform(body);
  } catch (error) {
    throw withField(error);
  }
}

function withField(error: unknown): unknown {
  if (!(error instanceof Fault)) return error;
  const member = error instanceof ActionFault ? error.member : MEMBER_OF_FAULT[error.code];
  if (member === undefined) return error;
  const field = member === null ? '' : jsonPointer([member]);
  return new RequestFault(error.code, error.message, { cause: error, retryable: error.retryable, members: { field } });
}
