import express, { type Request, type RequestHandler } from 'express';
import type { DeclaredRoute } from '../declared-routes.js';
import { corsOf } from '../endpoints/access-rule.js';
import { methodNotAllowed } from '../messages/http-fault.js';
import type { ServedRoutes } from '../served-routes.js';
import { ROUTE_MIDDLEWARE } from './allow.js';

/** A route, and the component that declares it. */
interface RouteOfComponent extends DeclaredRoute {
  readonly served: ServedRoutes;
}

/** Of a route for every method. */
const ANY_METHOD = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

/** Creates middleware that answers a browser which asks, without a token, whether its page may call a route; else OPTIONS is a method like any other. */
export function answerOptions(components: readonly ServedRoutes[], checkAnyHost: RequestHandler): RequestHandler {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(checkAnyHost);
  const routes = components.flatMap((served) => served.routes.map((route) => ({ ...route, served })));
  for (const path of new Set(routes.map((route) => route.path))) {
    router.options(path, answerPreflight(routes.filter((route) => route.path === path)));
  }
  return (request, response, next) => (request.method === 'OPTIONS' ? router(request, response, next) : next());
}

/** By the rule of the route for the method that the browser announces. */
function answerPreflight(routes: readonly RouteOfComponent[]): RequestHandler[] {
  const explicit = routes.map(({ method }) => method).filter((method) => method !== '*');
  const methods = explicit.length > 0 ? explicit : ANY_METHOD;
  const answersOptions = routes.some(({ method }) => method === '*' || method === 'OPTIONS');
  const begin: RequestHandler = (request, response, next) => {
    const route = announcedRoute(request, routes);
    const cors = route && corsOf(route.access);
    if (route === undefined || cors === undefined) {
      if (answersOptions) return next('route');
      throw methodNotAllowed(request.method, methods);
    }
    response.locals.access = { kind: 'open', cors };
    response.locals.served = route.served;
    next();
  };
  const send: RequestHandler = (_request, response) => {
    corsOf(response.locals.access)?.sendPreflight(response, methods);
  };
  return [begin, ...ROUTE_MIDDLEWARE, send];
}

/** The route that a browser asks for; undefined if the request is no preflight, or if a component answers OPTIONS itself. */
function announcedRoute({ headers }: Request, routes: readonly RouteOfComponent[]): RouteOfComponent | undefined {
  const announced = headers['access-control-request-method'];
  if (announced === undefined || routes.some(({ method }) => method === 'OPTIONS')) return undefined;
  return routes.find(({ method }) => method === announced) ?? routes.find(({ method }) => method === '*') ?? routes[0];
}
