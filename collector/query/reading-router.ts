import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response, Router } from 'express';
import type { FailureActions } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import type { IssueId } from '../../core/event/ids.js';
import { ActionFault, checkActionRequest, checkDecider } from '../../core/issues/action-request.js';
import { QueryFault } from '../../core/query/query-fault.js';
import { DECISIONS, type Decision } from '../../core/storage/regroup/regrouping.js';
import type { DecidedSuggestion, IssueDetail, RegroupJob } from '../../generated/reader-answers.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { sendJson } from '../http/messages/respond.js';
import { createRouter, refuseOtherMethods } from '../http/server/express-app.js';
import { OPENAPI_DOCUMENT } from './openapi-document.js';
import { parseParameters } from './parameters.js';
import { jsonPointer, readJsonBody } from './read-json-body.js';
import { issue_id, READING_ROUTES, type ReadingSources, STREAM_PARAMETERS } from './reading-routes.js';
import type { RegroupJobs } from './regroup-jobs.js';
import { expectEmptyObject, parseGroupingChoice } from './regroup-request.js';

/** The member that a fault without one is about. */
const MEMBER_OF_FAULT: Readonly<Record<string, string>> = {
  SNOOZE_INVALID: 'snooze',
  ACTION_NOT_FOUND: 'undoes',
  ISSUES_NOT_MERGED: 'issues',
};

function addRegroupRoutes(router: Router, jobs: RegroupJobs): void {
  for (const kind of ['preview', 'apply', 'roll_back'] as const) {
    const begin: RequestHandler = async (request, response) => {
      parseParameters(request, {});
      const choice =
        kind === 'roll_back' ? await expectEmptyObject(request).then(() => ({})) : await parseGroupingChoice(request);
      send(response, jobs.start(kind, choice));
    };
    router
      .route(`/regroup/${kind}`)
      .post(begin)
      .all(refuseOtherMethods(['POST']));
  }
  router
    .route('/regroup')
    .get((request: Request, response: Response) => {
      parseParameters(request, {});
      sendJson(response, 200, JSON.stringify(jobs.last));
    })
    .delete((request: Request, response: Response) => {
      parseParameters(request, {});
      send(response, jobs.cancel());
    })
    .all(refuseOtherMethods(['GET', 'HEAD', 'DELETE']));
}

function addDecisionRoutes(router: Router, jobs: RegroupJobs): void {
  for (const decision of DECISIONS) {
    const decide: RequestHandler = async (request, response) => {
      parseParameters(request, {});
      const result = await performDecision(request, String(request.params['suggestion_id']), decision, jobs);
      if ('started_at' in result) send(response, result);
      else sendJson(response, 200, JSON.stringify(result));
    };
    router
      .route(`/suggestions/:suggestion_id/${decision}`)
      .post(decide)
      .all(refuseOtherMethods(['POST']));
  }
}

function send(response: Response, job: RegroupJob): void {
  sendJson(response, job.state === 'running' ? 202 : 200, JSON.stringify(job));
}

const METHODS = ['GET', 'HEAD'];

/** The parameter that caused a fault of the reader. */
const PARAMETER_OF_FAULT: Readonly<Record<string, string>> = {
  QUERY_INVALID: 'query',
  CURSOR_INVALID: 'cursor',
  // Each parameter alone is valid, so the range ends before it starts.
  PARAMETER_INVALID: 'to',
};

const STREAM_PARAMETER_OF_FAULT: typeof PARAMETER_OF_FAULT = {
  QUERY_INVALID: 'query',
  CURSOR_INVALID: 'last_event_id',
};

/** Builds the router of the reading API. */
export function createReadingRouter(sources: ReadingSources): Router {
  const router = createRouter();
  for (const { path, handle } of READING_ROUTES) {
    const answer: RequestHandler = async (request, response) => {
      const body = await handle(request, sources).catch((error: unknown) => nameParameter(error));
      sendJson(response, 200, JSON.stringify(body));
    };
    router
      .route(path.replace(/\{(\w+)\}/, ':$1'))
      .get(answer)
      .all(refuseOtherMethods(METHODS));
  }
  router
    .route('/openapi.json')
    .get((request: Request, response: Response) => {
      parseParameters(request, {});
      sendJson(response, 200, JSON.stringify(OPENAPI_DOCUMENT));
    })
    .all(refuseOtherMethods(METHODS));
  const act: RequestHandler = async (request, response) => {
    const { issue_id: issueId } = parseParameters(request, { issue_id });
    sendJson(response, 200, JSON.stringify(await performAction(request, issueId, sources.actions)));
  };
  router
    .route('/issues/:issue_id/actions')
    .post(act)
    .all(refuseOtherMethods(['POST']));
  const stream: RequestHandler = async (request, response) => {
    const { query = '', last_event_id: given } = parseParameters(request, STREAM_PARAMETERS);
    // A browser that reconnects has a later id in the header than in its URL.
    const after = request.get('last-event-id') || given || undefined;
    const options = after === undefined ? { query } : { query, after };
    await sources.streams
      .serve(request, response, options)
      .catch((error: unknown) => nameParameter(error, STREAM_PARAMETER_OF_FAULT));
  };
  router.route('/stream').get(stream).all(refuseOtherMethods(METHODS));
  addRegroupRoutes(router, sources.regroupings);
  addDecisionRoutes(router, sources.regroupings);
  return router;
}

/** Rethrows a fault with the name of the parameter that caused it. */
function nameParameter(error: unknown, parameterOfFault = PARAMETER_OF_FAULT): never {
  // A RequestFault names its parameter already.
  if (!(error instanceof Fault) || error instanceof RequestFault) throw error;
  const parameter = parameterOfFault[error.code];
  if (parameter === undefined) throw error;
  const members = error instanceof QueryFault ? { parameter, column: error.column } : { parameter };
  throw new RequestFault(error.code, error.message, { cause: error, members });
}

/** Performs the action in a request's body and returns the updated issue. Faults about a member name it as a JSON pointer in `field`. */
async function performAction(
  request: IncomingMessage,
  issueId: IssueId,
  actions: () => FailureActions,
): Promise<IssueDetail> {
  return await namingField(request, (body) => actions().act(issueId, checkActionRequest(body)));
}

/** Decides about a suggestion and returns the decision, or the job that makes it. Faults as above. */
async function performDecision(
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
