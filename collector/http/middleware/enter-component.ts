import type { RequestHandler } from 'express';
import type { ServedRoutes } from '../served-routes.js';

/** Creates middleware that stands in front of a component's router and tells the middleware of its routes whose they are. */
export function enterComponent(served: ServedRoutes): RequestHandler {
  return (_request, response, next) => {
    response.locals.served = served;
    next();
  };
}
