import type { IncomingMessage } from 'node:http';
import type { HotHandler, HttpDoor } from './http-door.js';

/** What answers a request, and whose it is. */
export interface Route {
  readonly door: HttpDoor;
  readonly handler: HotHandler;
}

/** The routes of one path by method; `*` takes every method that has none of its own. */
export type RoutesOfPath = ReadonlyMap<string, Route>;

/** The hot routes of a server: by exact path, then by pattern. */
export class RouteTable {
  readonly #exact = new Map<string, Map<string, Route>>();
  readonly #patterns: { readonly pattern: RegExp; readonly byMethod: Map<string, Route> }[] = [];

  /** Adds a route; one of the same method and path is replaced, which the server prevents. */
  add(method: string, path: string | RegExp, route: Route): void {
    (typeof path === 'string' ? this.#ofPath(path) : this.#ofPattern(path)).set(method, route);
  }

  /** What is served at a path; undefined when no hot route is. */
  find(path: string): RoutesOfPath | undefined {
    return this.#exact.get(path) ?? this.#patterns.find(({ pattern }) => pattern.test(path))?.byMethod;
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
}

/** The route for a request's method; a preflight is answered for the door of the method that a page wants to use. */
export function routeFor(request: IncomingMessage, routes: RoutesOfPath): Route | undefined {
  const method = request.method ?? '';
  return routes.get(method) ?? preflightRoute(request, routes) ?? routes.get('*');
}

function preflightRoute(request: IncomingMessage, routes: RoutesOfPath): Route | undefined {
  const wanted = request.headers['access-control-request-method'];
  if (request.method !== 'OPTIONS' || wanted === undefined) return undefined;
  const door = (routes.get(wanted) ?? routes.get('*') ?? [...routes.values()][0])?.door;
  const methods = [...routes.keys()].map((method) => (method === '*' ? 'POST' : method));
  const handler = door?.preflight(methods);
  return door && handler && { door, handler };
}
