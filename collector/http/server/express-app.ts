import express, { type Express, type RequestHandler, type Router } from 'express';
import { methodNotAllowed } from '../messages/http-fault.js';

/** Creates an Express application for one router: no ETag, no `X-Powered-By`, no query parsing, exact paths. */
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

/** Creates a router that matches paths exactly. */
export function createRouter(): Router {
  return express.Router({ caseSensitive: true, strict: true });
}

/** Responds 405 to methods without a handler; register it after the handlers. */
export function refuseOtherMethods(methods: readonly string[]): RequestHandler {
  return (request) => {
    throw methodNotAllowed(request.method, methods);
  };
}
