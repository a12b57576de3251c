import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response, Router } from 'express';
import { ExplainFault } from '../../core/contract/explain-fault.js';
import type { FailureActions, FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { QueryFault } from '../../core/query/query-fault.js';
import { DECISIONS } from '../../core/storage/regroup/regrouping.js';
import type { RegroupJob, Stats } from '../../generated/reader-answers.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { sendJson } from '../http/messages/respond.js';
import { createRouter, refuseOtherMethods } from '../http/server/express-app.js';
import type { Ledger } from '../telemetry/ledger.js';
import type { ChangeStreams } from './change-streams.js';
import { OPENAPI_DOCUMENT } from './openapi-document.js';
import {
  EVENT_ID,
  EVENT_LIST_PARAMETERS,
  EXPLAIN_PARAMETERS,
  ISSUE_COUNT_PARAMETERS,
  ISSUE_ID,
  ISSUE_LIST_PARAMETERS,
  NO_PARAMETERS,
  RELEASE_PARAMETERS,
  SINCE_PARAMETERS,
  STREAM_PARAMETERS,
  SUGGESTION_PARAMETERS,
  SUMMARY_PARAMETERS,
  VALUE_PARAMETERS,
} from './parameter-tables.js';
import { missingParameter, parseParameter, parseParameters } from './parameters.js';
import { performAction, performDecision } from './perform-action.js';
import type { RegroupJobs } from './regroup-jobs.js';
import { expectEmptyObject, parseGroupingChoice } from './regroup-request.js';

function addRegroupRoutes(router: Router, jobs: RegroupJobs): void {
  for (const kind of ['preview', 'apply', 'roll_back'] as const) {
    const begin: RequestHandler = async (request, response) => {
      parseParameters(request, NO_PARAMETERS);
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
      parseParameters(request, NO_PARAMETERS);
      sendJson(response, 200, JSON.stringify(jobs.last));
    })
    .delete((request: Request, response: Response) => {
      parseParameters(request, NO_PARAMETERS);
      send(response, jobs.cancel());
    })
    .all(refuseOtherMethods(['GET', 'HEAD', 'DELETE']));
}

function addDecisionRoutes(router: Router, jobs: RegroupJobs): void {
  for (const decision of DECISIONS) {
    const decide: RequestHandler = async (request, response) => {
      parseParameters(request, NO_PARAMETERS);
      const result = await performDecision(request, pathParameter(request, 'suggestion_id'), decision, jobs);
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

/** What the reading API serves. */
export interface ReadingSources {
  readonly reader: () => FailureReader;
  readonly actions: () => FailureActions;
  readonly streams: ChangeStreams;
  readonly regroupings: RegroupJobs;
  readonly ledger: Ledger;
  /** Whether the sender of a request may act. */
  readonly mayAct: (request: IncomingMessage) => boolean;
  readonly serviceStats: () => Pick<Stats, 'endpoints' | 'addresses' | 'exporters' | 'retention'>;
}

type Handler = (request: Request, sources: ReadingSources) => Promise<object>;

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

/** The reading API: path → response body. */
const HANDLERS: Readonly<Record<string, Handler>> = {
  '/issues': (request, { reader }) => reader().listIssues(parseParameters(request, ISSUE_LIST_PARAMETERS)),

  // These must precede the path of an issue.
  '/issues/counts': (request, { reader }) => reader().countIssues(parseParameters(request, ISSUE_COUNT_PARAMETERS)),

  '/issues/values': async (request, { reader }) => {
    const { field, ...options } = parseParameters(request, VALUE_PARAMETERS);
    if (field === undefined) throw missingParameter('field');
    return await reader().listValues({ field, ...options });
  },

  '/issues/since': async (request, { reader }) => {
    const { from, before, ...options } = parseParameters(request, SINCE_PARAMETERS);
    if (from === undefined || before === undefined) throw missingParameter(from === undefined ? 'from' : 'before');
    return await reader().listIssuesSince({ from, before, ...options });
  },

  '/releases': (request, { reader }) => reader().listReleases(parseParameters(request, RELEASE_PARAMETERS)),

  '/issues/:issue_id': async (request, { reader }) => {
    const issueId = parseParameter('issue_id', pathParameter(request, 'issue_id'), ISSUE_ID);
    parseParameters(request, NO_PARAMETERS);
    return found('issue', issueId, await reader().getIssue(issueId));
  },

  '/issues/:issue_id/events': async (request, { reader }) => {
    const issueId = parseParameter('issue_id', pathParameter(request, 'issue_id'), ISSUE_ID);
    const options = parseParameters(request, EVENT_LIST_PARAMETERS);
    return found('issue', issueId, await reader().listEvents(issueId, options));
  },

  '/issues/:issue_id/summary': async (request, { reader }) => {
    const issueId = parseParameter('issue_id', pathParameter(request, 'issue_id'), ISSUE_ID);
    const options = parseParameters(request, SUMMARY_PARAMETERS);
    return found('issue', issueId, await reader().summarizeEvents(issueId, options));
  },

  '/events': (request, { reader }) => reader().searchEvents(parseParameters(request, EVENT_LIST_PARAMETERS)),

  '/events/:event_id': async (request, { reader }) => {
    const eventId = parseParameter('event_id', pathParameter(request, 'event_id'), EVENT_ID);
    parseParameters(request, NO_PARAMETERS);
    return found('event', eventId, await reader().getEvent(eventId));
  },

  '/explain': async (request, { reader }) => {
    const { a, b } = parseParameters(request, EXPLAIN_PARAMETERS);
    if (a === undefined || b === undefined) throw missingParameter(a === undefined ? 'a' : 'b');
    return await reader().explain(a, b).catch(nameSide);
  },

  '/suggestions': (request, { reader }) => reader().suggestions(parseParameters(request, SUGGESTION_PARAMETERS)),

  '/rejected': (request, { reader }) => reader().listRejected(parseParameters(request, EVENT_LIST_PARAMETERS)),

  '/stats': async (request, { reader, ledger, serviceStats }) => {
    parseParameters(request, NO_PARAMETERS);
    return { ...(await reader().stats()), receivers: ledger.snapshot(), ...serviceStats() };
  },

  '/access': async (request, { reader, mayAct }) => {
    parseParameters(request, NO_PARAMETERS);
    const access = await reader().access();
    return { ...access, actions: access.actions && mayAct(request) };
  },

  '/openapi.json': async (request) => {
    parseParameters(request, NO_PARAMETERS);
    return OPENAPI_DOCUMENT;
  },
};

/** Builds the router of the reading API. */
export function createReadingRouter(sources: ReadingSources): Router {
  const router = createRouter();
  for (const [path, handle] of Object.entries(HANDLERS)) {
    const answer: RequestHandler = async (request, response) => {
      const body = await handle(request, sources).catch((error: unknown) => nameParameter(error));
      sendJson(response, 200, JSON.stringify(body));
    };
    router.route(path).get(answer).all(refuseOtherMethods(METHODS));
  }
  const act: RequestHandler = async (request, response) => {
    const issueId = parseParameter('issue_id', pathParameter(request, 'issue_id'), ISSUE_ID);
    parseParameters(request, NO_PARAMETERS);
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

function pathParameter(request: Request, name: string): string {
  const text = request.params[name];
  return typeof text === 'string' ? text : '';
}

function found<T extends object>(what: 'issue' | 'event', id: string, thing: T | undefined): T {
  if (thing !== undefined) return thing;
  const sentence = `${what} ${id} does not exist`;
  throw new RequestFault(what === 'issue' ? 'ISSUE_NOT_FOUND' : 'EVENT_NOT_FOUND', sentence);
}

function nameSide(error: unknown): never {
  if (!(error instanceof ExplainFault)) throw error;
  throw new RequestFault(error.code, error.message, { cause: error, members: { parameter: error.side } });
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
