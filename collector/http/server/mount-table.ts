import type { IncomingMessage } from 'node:http';
import { Fault } from '../../../core/event/fault.js';
import { areClashing, claimText } from '../endpoints/route-claim.js';
import { isPreflightRequest } from '../messages/request-guard.js';
import { type ClaimedRoute, type HttpMount, preflightOf, type Route } from './http-mount.js';

/** The direct routes at a path by method, and the route that serves the request. */
export interface FoundRoute {
  /** Undefined if the path has no direct route. */
  readonly routes: RoutesOfPath | undefined;
  readonly route: Route | undefined;
}

/** The routes of one path by method; `*` serves methods without a route. */
type RoutesOfPath = ReadonlyMap<string, Route>;

const METHODS_OF_ROUTERS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

/** The mounts of one server and their routes. */
export class MountTable {
  readonly mounts: HttpMount[] = [];
  readonly #served: ClaimedRoute[] = [];
  readonly #direct: { readonly path: string | RegExp; readonly byMethod: Map<string, Route> }[] = [];
  /** The configured endpoint, for error messages. */
  readonly #endpoint: string;

  constructor(where: string) {
    this.#endpoint = where;
  }

  /** Throws `ROUTE_TAKEN`. */
  add(served: ClaimedRoute): void {
    this.#assertFree(served);
    this.#served.push(served);
    if (!('path' in served)) return;
    const { path, method } = served;
    const existing = this.#direct.find((other) => String(other.path) === String(path));
    if (existing === undefined) this.#direct.push({ path, byMethod: new Map([[method, served]]) });
    else existing.byMethod.set(method, served);
  }

  /** Exact paths win over patterns. */
  find(path: string, request: IncomingMessage): FoundRoute {
    const exact = this.#direct.find((one) => one.path === path);
    const routes = (exact ?? this.#direct.find((one) => one.path instanceof RegExp && one.path.test(path)))?.byMethod;
    return { routes, route: routes === undefined ? this.#routerFor(path, request) : routeFor(request, routes) };
  }

  #routerFor(path: string, request: IncomingMessage): Route | undefined {
    const router = this.#served.find(
      (one) => 'prefix' in one && (path === one.prefix || path.startsWith(`${one.prefix}/`)),
    );
    if (router === undefined || !isPreflightRequest(request)) return router;
    return preflightOf(router, METHODS_OF_ROUTERS) ?? router;
  }

  #assertFree(served: ClaimedRoute): void {
    const route = claimText(served);
    const taken = this.#served.find((other) => {
      // A mount may overlap its own routes.
      if (other.mount === served.mount) return claimText(other) === route;
      return areClashing(other, served);
    });
    if (taken === undefined) return;
    const owners = `${served.mount.options.component} and ${taken.mount.options.component}`;
    throw new Fault(
      'ROUTE_TAKEN',
      `${owners} both serve ${route} on ${this.#endpoint}: give one of them another endpoint`,
    );
  }
}

/** The route for a request's method; a preflight asks about the route of the method that it announces. */
function routeFor(request: IncomingMessage, routes: RoutesOfPath): Route | undefined {
  const method = request.method ?? '';
  return routes.get(method) ?? preflightRoute(request, routes) ?? routes.get('*');
}

function preflightRoute(request: IncomingMessage, routes: RoutesOfPath): Route | undefined {
  const wanted = request.headers['access-control-request-method'];
  if (request.method !== 'OPTIONS' || wanted === undefined) return undefined;
  const route = routes.get(wanted) ?? routes.get('*') ?? [...routes.values()][0];
  const methods = [...routes.keys()].map((method) => (method === '*' ? 'POST' : method));
  return route && preflightOf(route, methods);
}
