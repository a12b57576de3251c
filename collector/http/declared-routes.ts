import type { Router } from 'express';
import { Fault } from '../../core/event/fault.js';
import type { AccessRule } from './endpoints/access-rule.js';
import { readablePath, routeText, type ServedPath } from './endpoints/served-path.js';
import { accessOf } from './middleware/allow.js';

/** A route of a component's router. */
export interface DeclaredRoute extends ServedPath {
  readonly access: AccessRule;
}

type Layer = Router['stack'][number];
type Route = NonNullable<Layer['route']>;

/**
 * Lists the routes of a component's router. Throws `ROUTE_WITHOUT_ACCESS` for a route that does not begin with `allow`, and for what runs before it:
 * other middleware, which would see all requests of the endpoint, and `router.param`.
 */
export function declaredRoutes(router: Router, component: string): DeclaredRoute[] {
  const stray = router.stack.find(({ route, handle }) => route === undefined && !isErrorHandling(handle));
  if (stray !== undefined) throw withoutAccess(component, `middleware ${stray.name}: put it into the routes`);
  const [parameter] = 'params' in router ? Object.keys(Object(router.params)) : [];
  if (parameter !== undefined) throw withoutAccess(component, `callback for the parameter ${parameter}`);
  return routesOf(router).flatMap((route) =>
    servedBy(route).map((served) => {
      const access = accessOf(firstMiddleware(route, served.method));
      if (access === undefined) throw withoutAccess(component, `route ${routeText(served)}`);
      return { ...served, access };
    }),
  );
}

/** Lists what a router serves, also by the routers in its routes, without asking for access rules. */
export function servedPaths(router: Router): ServedPath[] {
  const isLoose = !isExact(router);
  return routesOf(router).flatMap((route) => [
    ...servedBy(route).map((served) => ({ ...served, isLoose })),
    ...routersIn(route).flatMap(servedPaths),
  ]);
}

/** The options of a router are among its members, but not of its type. */
function isExact(router: Router & { readonly caseSensitive?: boolean; readonly strict?: boolean }): boolean {
  return router.caseSensitive === true && router.strict === true;
}

/** Makes an error of a route that is added later: it would not be checked. */
export function closeRouter(router: Router): void {
  Object.freeze(router.stack);
  for (const { stack } of routesOf(router)) Object.freeze(stack);
}

/** The paths of a router for people, with those of the routers that stand in its routes. */
export function readablePaths(router: Router): string[] {
  return routesOf(router).flatMap((route) => {
    const inner = routersIn(route).flatMap(readablePaths);
    if (inner.length > 0) return inner;
    return pathsOf(route).flatMap((path) => (typeof path === 'string' ? [readablePath(path)] : []));
  });
}

function routesOf({ stack }: Router): Route[] {
  return stack.flatMap(({ route }) => route ?? []);
}

function routersIn({ stack }: Route): Router[] {
  return stack.map(({ handle }) => handle).filter(isRouter);
}

function servedBy(route: Route): ServedPath[] {
  return pathsOf(route).flatMap((path) => methodsOf(route).map((method) => ({ method, path })));
}

/** Express takes a list of paths too. */
function pathsOf({ path }: { readonly path: unknown }): (string | RegExp)[] {
  return [path].flat().map((one) => (one instanceof RegExp ? one : String(one)));
}

/** Express answers HEAD by the handler for GET. */
function methodsOf({ stack }: Route): string[] {
  const methods = stack.map(methodOf);
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)))];
}

function firstMiddleware({ stack }: Route, method: string): object {
  const methods = ['*', method, method === 'HEAD' ? 'GET' : method];
  return stack.find((layer) => methods.includes(methodOf(layer)))?.handle ?? {};
}

/** Express has no method for what `all` added. */
function methodOf({ method }: { readonly method?: string }): string {
  return method?.toUpperCase() ?? '*';
}

/** Express tells error-handling middleware by its four parameters. */
function isErrorHandling(handle: Layer['handle']): boolean {
  return handle.length === 4;
}

function isRouter(handle: Layer['handle']): handle is Router {
  return 'stack' in handle;
}

function withoutAccess(component: string, what: string): Fault {
  return new Fault('ROUTE_WITHOUT_ACCESS', `${component} does not say with allow who may call its ${what}`);
}
