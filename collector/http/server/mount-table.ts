import type { IncomingMessage } from 'node:http';
import { Fault } from '../../../core/event/fault.js';
import { areClashing, claimText, type RouteClaim } from '../endpoints/route-claim.js';
import { isPreflightRequest } from '../messages/request-guard.js';
import type { HttpMount, RawHandler } from './http-mount.js';

/** What answers a request, and whose it is. */
export interface Route {
  readonly mount: HttpMount;
  readonly handler: RawHandler;
}

/** What is served at a request's path: hot routes by method, and the one that takes the request. */
export interface FoundRoute {
  /** Undefined where no hot route is. */
  readonly routes: RoutesOfPath | undefined;
  readonly route: Route | undefined;
}

/** The routes of one path by method; `*` takes every method that has none of its own. */
type RoutesOfPath = ReadonlyMap<string, Route>;

/** What a mount serves: a hot route, or everything below a prefix. */
type Served = RouteClaim & Route;

/** What routers take. */
const METHODS_OF_ROUTERS = ['GET', 'HEAD', 'POST', 'DELETE'];

/** The mounts that one line has on a server, and what is served behind each. */
export class MountTable {
  readonly mounts: HttpMount[] = [];
  readonly #served: Served[] = [];
  /** Hot routes by exact path, which come before those by pattern. */
  readonly #exact = new Map<string, Map<string, Route>>();
  readonly #patterns: { readonly pattern: RegExp; readonly byMethod: Map<string, Route> }[] = [];
  /** As an operator writes the endpoint, for faults. */
  readonly #where: string;

  constructor(where: string) {
    this.#where = where;
  }

  /** Throws `ROUTE_TAKEN`. */
  add(served: Served): void {
    this.#take(served);
    this.#served.push(served);
    if (!('path' in served)) return;
    const { path, method } = served;
    (typeof path === 'string' ? this.#ofPath(path) : this.#ofPattern(path)).set(method, served);
  }

  find(path: string, request: IncomingMessage): FoundRoute {
    const routes = this.#exact.get(path) ?? this.#patterns.find(({ pattern }) => pattern.test(path))?.byMethod;
    return { routes, route: routes === undefined ? this.#mountOf(path, request) : routeFor(request, routes) };
  }

  /** The router that takes a path. */
  #mountOf(path: string, request: IncomingMessage): Route | undefined {
    const router = this.#served.find(
      (one) => 'prefix' in one && (path === one.prefix || path.startsWith(`${one.prefix}/`)),
    );
    const preflight = isPreflightRequest(request) ? router?.mount.preflight(METHODS_OF_ROUTERS) : undefined;
    return router && { mount: router.mount, handler: preflight ?? router.handler };
  }

  #ofPath(path: string): Map<string, Route> {
    const routes = this.#exact.get(path) ?? new Map<string, Route>();
    this.#exact.set(path, routes);
    return routes;
  }

  #ofPattern(pattern: RegExp): Map<string, Route> {
    const known = this.#patterns.find((other) => other.pattern.source === pattern.source);
    if (known !== undefined) return known.byMethod;
    const byMethod = new Map<string, Route>();
    this.#patterns.push({ pattern, byMethod });
    return byMethod;
  }

  #take(served: Served): void {
    const route = claimText(served);
    const taken = this.#served.find((other) => {
      // A mount knows what its own methods are for.
      if (other.mount === served.mount) return claimText(other) === route;
      return areClashing(other, served);
    });
    if (taken === undefined) return;
    const owners = `${served.mount.options.component} and ${taken.mount.options.component}`;
    throw new Fault(
      'ROUTE_TAKEN',
      `${owners} both serve ${route} on ${this.#where}: give one of them another endpoint`,
    );
  }
}

/** The route for a request's method; a preflight is answered for the mount of the method that a page wants to use. */
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
