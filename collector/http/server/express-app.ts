import express, { type Express, type RequestHandler, type Router } from 'express';
import { methodNotAllowed } from '../messages/http-fault.js';

/** An Express application around one router, without Express's surprises: no etag, no advertisement, no query parsing, exact paths. */
export function createExpressApp(prefix: string, router: Router): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', false);
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use(prefix, router);
  return app;
}

/** A router with the same exactness as the application. */
export function createRouter(): Router {
  return express.Router({ caseSensitive: true, strict: true });
}

/** Refuses every method at a known path; after the handlers of those that it takes. */
export function refuseOthers(methods: readonly string[]): RequestHandler {
  return (request) => {
    throw methodNotAllowed(request.method, methods);
  };
}
