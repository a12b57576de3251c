import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type Express, type Router } from 'express';
import { RequestFault } from './request-fault.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
type FaultAnswer = (request: IncomingMessage, response: ServerResponse, error: unknown) => void;

/** An Express application without its surprises: no etag, no advertisement, no query parsing, exact paths. */
export function createExpressApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', false);
  app.enable('case sensitive routing');
  app.enable('strict routing');
  return app;
}

/** Adds what comes after every router: an answer for paths that none took, and one for what was thrown. */
export function closeExpressApp(app: Express, onUnmatched: Answer, onFault: FaultAnswer): void {
  app.use(onUnmatched);
  const onError: ErrorRequestHandler = (error, request, response, _next) => onFault(request, response, readable(error));
  app.use(onError);
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
