import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response, Router } from 'express';
import { ExplainFault } from '../../core/contract/explain-fault.js';
import type { FailureActions, FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { QueryFault } from '../../core/query/query-fault.js';
import type { ExporterStats, RegroupJob } from '../../generated/reader-answers.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { sendJson } from '../http/messages/respond.js';
import { createRouter, refuseOthers } from '../http/server/express-app.js';
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
  STREAM_PARAMETERS,
  SUMMARY_PARAMETERS,
} from './parameter-tables.js';
import { missingParameter, parseParameter, parseParameters } from './parameters.js';
import { performAction } from './perform-action.js';
import type { RegroupJobs } from './regroup-jobs.js';
import { expectEmptyObject, parseGroupingChoice } from './regroup-request.js';

const DONE = 200;
const GOES_ON = 202;

/** Adds what begins, shows and calls off regroupings. */
function addRegroupRoutes(router: Router, jobs: RegroupJobs): void {
  for (const kind of ['preview', 'apply', 'roll_back'] as const) {
    const begin: RequestHandler = async (request, response) => {
      parseParameters(request, NO_PARAMETERS);
      const choice =
        kind === 'roll_back' ? await expectEmptyObject(request).then(() => ({})) : await parseGroupingChoice(request);
      send(response, jobs.begin(kind, choice));
    };
    router
      .route(`/regroup/${kind}`)
      .post(begin)
      .all(refuseOthers(['POST']));
  }
  router
    .route('/regroup')
    .get((request: Request, response: Response) => {
      parseParameters(request, NO_PARAMETERS);
      sendJson(response, DONE, JSON.stringify(jobs.last));
    })
    .delete((request: Request, response: Response) => {
      parseParameters(request, NO_PARAMETERS);
      send(response, jobs.cancel());
    })
    .all(refuseOthers(['GET', 'HEAD', 'DELETE']));
}

function send(response: Response, job: RegroupJob): void {
  sendJson(response, job.state === 'running' ? GOES_ON : DONE, JSON.stringify(job));
}

/** What is read, and what is acted on. */
export interface ReadingSources {
  readonly reader: () => FailureReader;
  readonly actions: () => FailureActions;
  readonly streams: ChangeStreams;
  readonly regroupings: RegroupJobs;
  readonly ledger: Ledger;
  /** Whether the sender of a request may act. */
  readonly mayAct: (request: IncomingMessage) => boolean;
  /** As `Stats.endpoints`. */
  readonly endpoints: () => Readonly<Record<string, string>>;
  /** As `Stats.exporters`, default: none sends. */
  readonly exporters?: () => Readonly<Record<string, ExporterStats>>;
}

type Read = (request: Request, sources: ReadingSources) => Promise<object>;

const METHODS = ['GET', 'HEAD'];

/** The parameter that a reader's fault is about. */
const PARAMETER_OF_FAULT: Readonly<Record<string, string>> = {
  QUERY_INVALID: 'query',
  CURSOR_INVALID: 'cursor',
  // What is left where each parameter alone is what is expected: a range that ends before it begins.
  PARAMETER_INVALID: 'to',
};

const STREAM_PARAMETER_OF_FAULT: typeof PARAMETER_OF_FAULT = {
  QUERY_INVALID: 'query',
  CURSOR_INVALID: 'last_event_id',
};

/** The reading API, design section 6: path → what it answers. */
const READS: Readonly<Record<string, Read>> = {
  '/issues': (request, { reader }) => reader().listIssues(parseParameters(request, ISSUE_LIST_PARAMETERS)),

  // Before the path of an issue, whose id it is not.
  '/issues/counts': (request, { reader }) => reader().countIssues(parseParameters(request, ISSUE_COUNT_PARAMETERS)),

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

  '/stats': async (request, { reader, ledger, endpoints, exporters = () => ({}) }) => {
    parseParameters(request, NO_PARAMETERS);
    const ofCollector = { receivers: ledger.snapshot(), endpoints: endpoints(), exporters: exporters() };
    return { ...(await reader().stats()), ...ofCollector };
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
  for (const [path, read] of Object.entries(READS)) {
    const answer: RequestHandler = async (request, response) => {
      const body = await read(request, sources).catch((error: unknown) => nameParameter(error));
      sendJson(response, 200, JSON.stringify(body));
    };
    router.route(path).get(answer).all(refuseOthers(METHODS));
  }
  const act: RequestHandler = async (request, response) => {
    const issueId = parseParameter('issue_id', pathParameter(request, 'issue_id'), ISSUE_ID);
    parseParameters(request, NO_PARAMETERS);
    sendJson(response, 200, JSON.stringify(await performAction(request, issueId, sources.actions)));
  };
  router
    .route('/issues/:issue_id/actions')
    .post(act)
    .all(refuseOthers(['POST']));
  const stream: RequestHandler = async (request, response) => {
    const { query = '', last_event_id: given } = parseParameters(request, STREAM_PARAMETERS);
    // A browser that comes again has a later one than its address says.
    const after = request.get('last-event-id') || given || undefined;
    const options = after === undefined ? { query } : { query, after };
    await sources.streams.serve(request, response, options).catch(nameStreamParameter);
  };
  router.route('/stream').get(stream).all(refuseOthers(METHODS));
  addRegroupRoutes(router, sources.regroupings);
  return router;
}

function pathParameter(request: Request, name: string): string {
  const text = request.params[name];
  return typeof text === 'string' ? text : '';
}

function found<T extends object>(what: 'issue' | 'event', id: string, thing: T | undefined): T {
  if (thing !== undefined) return thing;
  const sentence = `there is no ${what} ${id}`;
  throw new RequestFault(what === 'issue' ? 'ISSUE_NOT_FOUND' : 'EVENT_NOT_FOUND', sentence);
}

/** Rethrows a fault of a comparison with the name of the parameter that caused it. */
function nameSide(error: unknown): never {
  if (!(error instanceof ExplainFault)) throw error;
  throw new RequestFault(error.code, error.message, { cause: error, members: { parameter: error.side } });
}

function nameStreamParameter(error: unknown): never {
  return nameParameter(error, STREAM_PARAMETER_OF_FAULT);
}

/** Rethrows a reader's fault with the name of the parameter that caused it. */
function nameParameter(error: unknown, parameterOfFault = PARAMETER_OF_FAULT): never {
  // What is a fault of the request names its parameter itself.
  if (!(error instanceof Fault) || error instanceof RequestFault) throw error;
  const parameter = parameterOfFault[error.code];
  if (parameter === undefined) throw error;
  const members = error instanceof QueryFault ? { parameter, column: error.column } : { parameter };
  throw new RequestFault(error.code, error.message, { cause: error, members });
}
