import express, { type Express, type Router } from 'express';

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
