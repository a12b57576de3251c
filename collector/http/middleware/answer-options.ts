import express, { type Request, type RequestHandler } from 'express';
import type { DeclaredRoute } from '../declared-routes.js';
import { corsOf } from '../endpoints/access-rule.js';
import { methodNotAllowed } from '../messages/http-fault.js';
import type { ServedRoutes } from '../served-routes.js';
import { ROUTE_MIDDLEWARE } from './allow.js';
import { enterComponent } from './enter-component.js';

/** Of a route for every method. */
const ANY_METHOD = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

/** Creates middleware that answers a browser which asks, without a token, whether its page may call a route; else OPTIONS is a method like any other. */
export function answerOptions(components: readonly ServedRoutes[], checkAnyHost: RequestHandler): RequestHandler {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(checkAnyHost);
  for (const served of components) {
    for (const path of new Set(served.routes.map((route) => route.path))) {
      const routes = served.routes.filter((route) => route.path === path);
      router.options(path, enterComponent(served), answerPreflight(routes));
    }
  }
  return (request, response, next) => (request.method === 'OPTIONS' ? router(request, response, next) : next());
}

/** By the rule of the route for the method that the browser announces. */
function answerPreflight(routes: readonly DeclaredRoute[]): RequestHandler[] {
  const explicit = routes.map(({ method }) => method).filter((method) => method !== '*');
  const methods = explicit.length > 0 ? explicit : ANY_METHOD;
  const answersOptions = routes.some(({ method }) => method === '*' || method === 'OPTIONS');
  const begin: RequestHandler = (request, response, next) => {
    const cors = corsFor(request, routes);
    if (cors === undefined && answersOptions) return next('route');
    if (cors === undefined) throw methodNotAllowed(request.method, methods);
    response.locals.access = { kind: 'open', cors };
    next();
  };
  const send: RequestHandler = (_request, response) => {
    corsOf(response.locals.access)?.sendPreflight(response, methods);
  };
  return [begin, ...ROUTE_MIDDLEWARE, send];
}

/** The policy for the pages that may call a route; undefined if none may, or if the request is no preflight. */
function corsFor({ headers }: Request, routes: readonly DeclaredRoute[]) {
  const announced = headers['access-control-request-method'];
  if (announced === undefined || routes.some(({ method }) => method === 'OPTIONS')) return undefined;
  const route =
    routes.find(({ method }) => method === announced) ?? routes.find(({ method }) => method === '*') ?? routes[0];
  return route && corsOf(route.access);
}
