import type { RequestHandler, Router } from 'express';
import { createRouter, refuseOtherMethods } from '../http/server/express-app.js';
import type { ReadingSources } from './api-route.js';
import { API_ROUTES } from './openapi-document.js';

/** Builds the router of the reading API. */
export function createReadingRouter(sources: ReadingSources): Router {
  const router = createRouter();
  for (const path of new Set(API_ROUTES.map((one) => one.path))) {
    const served = router.route(path.replace(/\{(\w+)\}/, ':$1'));
    const routes = API_ROUTES.filter((one) => one.path === path);
    for (const { method, serve } of routes) {
      const handler: RequestHandler = (request, response) => serve({ ...sources, request, response });
      served[method](handler);
    }
    served.all(
      refuseOtherMethods(routes.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : method.toUpperCase()))),
    );
  }
  return router;
}
