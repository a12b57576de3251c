import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type Router } from 'express';
import { RequestFault } from './request-fault.js';

/** Answers a request on bare node:http. */
export type RequestAnswer = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers a request with what was thrown. */
export type FaultAnswer = (request: IncomingMessage, response: ServerResponse, error: unknown) => void;

/**
 * An Express application around one router, without Express's surprises: no etag, no advertisement, no query parsing, exact paths.
 * `onUnmatched` answers paths that the router does not take.
 */
export function createExpressApp(
  prefix: string,
  router: Router,
  onUnmatched: RequestAnswer,
  onFault: FaultAnswer,
): RequestAnswer {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', false);
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use(prefix, router);
  app.use(onUnmatched);
  const onError: ErrorRequestHandler = (error, request, response, _next) => onFault(request, response, readable(error));
  app.use(onError);
  return app;
}

/** A router with the same exactness as the application. */
export function createRouter(): Router {
  return express.Router({ caseSensitive: true, strict: true });
}

/** Express reports a path that does not decode as a URIError. */
function readable(error: unknown): unknown {
  return error instanceof URIError
    ? new RequestFault('REQUEST_TARGET_INVALID', 'the path holds a % that is not followed by two hexadecimal digits')
    : error;
}
