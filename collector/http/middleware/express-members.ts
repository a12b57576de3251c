import express, { type RequestHandler } from 'express';

/**
 * Creates middleware that gives requests and responses the members of Express, such as `request.get` and `response.json`: an application without
 * routes. It costs more than the rest of a small request, so the routes that receive events do without it.
 */
export function expressMembers(): RequestHandler {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  return app;
}
