import type { IncomingMessage } from 'node:http';
import { Fault } from '../../../core/event/fault.js';
import { areClashing, claimText, type RouteClaim } from '../endpoints/route-claim.js';
import { isPreflightRequest } from '../messages/request-guard.js';
import type { HttpMount, RawHandler } from './http-mount.js';

/** A handler and the mount it belongs to. */
export interface Route {
  readonly mount: HttpMount;
  readonly handler: RawHandler;
}

/** The direct routes at a path by method, and the route that serves the request. */
export interface FoundRoute {
  /** Undefined if the path has no direct route. */
  readonly routes: RoutesOfPath | undefined;
  readonly route: Route | undefined;
}

/** The routes of one path by method; `*` serves methods without a route. */
type RoutesOfPath = ReadonlyMap<string, Route>;

/** A direct route, or everything below a prefix. */
type Served = RouteClaim & Route;

const METHODS_OF_ROUTERS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

/** The mounts of one server and their routes. */
export class MountTable {
  readonly mounts: HttpMount[] = [];
  readonly #served: Served[] = [];
  /** Direct routes by exact path; they win over patterns. */
  readonly #exact = new Map<string, Map<string, Route>>();
  readonly #patterns: { readonly pattern: RegExp; readonly byMethod: Map<string, Route> }[] = [];
  /** The configured endpoint, for error messages. */
  readonly #endpoint: string;

  constructor(where: string) {
    this.#endpoint = where;
  }

  /** Throws `ROUTE_TAKEN`. */
  add(served: Served): void {
    this.#assertFree(served);
    this.#served.push(served);
    if (!('path' in served)) return;
    const { path, method } = served;
    (typeof path === 'string' ? this.#methodsOfPath(path) : this.#methodsOfPattern(path)).set(method, served);
  }

  find(path: string, request: IncomingMessage): FoundRoute {
    const routes = this.#exact.get(path) ?? this.#patterns.find(({ pattern }) => pattern.test(path))?.byMethod;
    return { routes, route: routes === undefined ? this.#routerFor(path, request) : routeFor(request, routes) };
  }

  #routerFor(path: string, request: IncomingMessage): Route | undefined {
    const router = this.#served.find(
      (one) => 'prefix' in one && (path === one.prefix || path.startsWith(`${one.prefix}/`)),
    );
    const preflight = isPreflightRequest(request) ? router?.mount.preflight(METHODS_OF_ROUTERS) : undefined;
    return router && { mount: router.mount, handler: preflight ?? router.handler };
  }

  #methodsOfPath(path: string): Map<string, Route> {
    const routes = this.#exact.get(path) ?? new Map<string, Route>();
    this.#exact.set(path, routes);
    return routes;
  }

  #methodsOfPattern(pattern: RegExp): Map<string, Route> {
    const known = this.#patterns.find((other) => other.pattern.source === pattern.source);
    if (known !== undefined) return known.byMethod;
    const byMethod = new Map<string, Route>();
    this.#patterns.push({ pattern, byMethod });
    return byMethod;
  }

  #assertFree(served: Served): void {
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

/** The route for a request's method; a preflight goes to the mount of the method that it announces. */
function routeFor(request: IncomingMessage, routes: RoutesOfPath): Route | undefined {
  const method = request.method ?? '';
  return routes.get(method) ?? preflightRoute(request, routes) ?? routes.get('*');
}

function preflightRoute(request: IncomingMessage, routes: RoutesOfPath): Route | undefined {
  const wanted = request.headers['access-control-request-method'];
  if (request.method !== 'OPTIONS' || wanted === undefined) return undefined;
  const mount = (routes.get(wanted) ?? routes.get('*') ?? [...routes.values()][0])?.mount;
  const methods = [...routes.keys()].map((method) => (method === '*' ? 'POST' : method));
  const handler = mount?.preflight(methods);
  return mount && handler && { mount, handler };
}
