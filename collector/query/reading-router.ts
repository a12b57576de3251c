import type { Request, RequestHandler, Router } from 'express';
import { Fault } from '../../core/event/fault.js';
import { QueryFault } from '../../core/query/query-fault.js';
import type { FailureReader } from '../../core/reader.js';
import { createRouter } from '../http/express-app.js';
import { methodNotAllowed } from '../http/method-not-allowed.js';
import { RequestFault } from '../http/request-fault.js';
import { sendJson } from '../http/respond.js';
import type { Ledger } from '../telemetry/ledger.js';
import { OPENAPI_DOCUMENT } from './openapi-document.js';
import { readParameter, readParameters } from './parameters.js';
import {
  EVENT_ID,
  EVENT_LIST_PARAMETERS,
  ISSUE_ID,
  ISSUE_LIST_PARAMETERS,
  NO_PARAMETERS,
} from './reading-parameters.js';

/** What is read. */
export interface ReadingSources {
  readonly reader: () => FailureReader;
  readonly ledger: Ledger;
}

type Read = (request: Request, sources: ReadingSources) => Promise<object>;

const METHODS = ['GET', 'HEAD'];

/** The parameter that a reader's fault is about. */
const PARAMETER_OF_FAULT: Readonly<Record<string, string>> = { QUERY_INVALID: 'query', CURSOR_INVALID: 'cursor' };

/** The reading API, design section 6: path → what it answers. */
const READS: Readonly<Record<string, Read>> = {
  '/issues': (request, { reader }) => reader().listIssues(readParameters(request, ISSUE_LIST_PARAMETERS)),

  '/issues/:issue_id': async (request, { reader }) => {
    const issueId = readParameter('issue_id', pathParameter(request, 'issue_id'), ISSUE_ID);
    readParameters(request, NO_PARAMETERS);
    return found('issue', issueId, await reader().getIssue(issueId));
  },

  '/issues/:issue_id/events': async (request, { reader }) => {
    const issueId = readParameter('issue_id', pathParameter(request, 'issue_id'), ISSUE_ID);
    const options = readParameters(request, EVENT_LIST_PARAMETERS);
    return found('issue', issueId, await reader().listEvents(issueId, options));
  },

  '/events/:event_id': async (request, { reader }) => {
    const eventId = readParameter('event_id', pathParameter(request, 'event_id'), EVENT_ID);
    readParameters(request, NO_PARAMETERS);
    return found('event', eventId, await reader().getEvent(eventId));
  },

  '/stats': async (request, { reader, ledger }) => {
    readParameters(request, NO_PARAMETERS);
    return { ...(await reader().stats()), receivers: ledger.snapshot() };
  },

  '/openapi.json': async (request) => {
    readParameters(request, NO_PARAMETERS);
    return OPENAPI_DOCUMENT;
  },
};

/** Builds the router of the reading API. */
export function createReadingRouter(sources: ReadingSources): Router {
  const router = createRouter();
  for (const [path, read] of Object.entries(READS)) {
    const answer: RequestHandler = async (request, response) => {
      const body = await read(request, sources).catch(nameParameter);
      sendJson(response, 200, JSON.stringify(body));
    };
    const refuse: RequestHandler = (request) => {
      throw methodNotAllowed(request.method, METHODS);
    };
    router.route(path).get(answer).all(refuse);
  }
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

/** Rethrows a reader's fault with the name of the parameter that caused it. */
function nameParameter(error: unknown): never {
  const parameter = error instanceof Fault ? PARAMETER_OF_FAULT[error.code] : undefined;
  if (!(error instanceof Fault) || parameter === undefined) throw error;
  const members = error instanceof QueryFault ? { parameter, column: error.column } : { parameter };
  throw new RequestFault(error.code, error.message, { cause: error, members });
}
