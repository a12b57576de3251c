import type { Router } from 'express';
import type { ServedPath } from '../endpoints/served-path.js';
import { methodNotAllowed } from '../messages/http-fault.js';

/** Adds to the end of a router that known paths refuse their other methods. Fault: `METHOD_NOT_ALLOWED`, with `Allow`. */
export function refuseOtherMethods(router: Router, routes: readonly ServedPath[]): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = [...new Set(routes.filter((route) => route.path === path).map(({ method }) => method))];
    if (methods.includes('*')) continue;
    router.all(path, (request, _response, next) => {
      // A route may leave a request to others, for example for its parameter.
      if (methods.includes(request.method)) return next();
      throw methodNotAllowed(request.method, methods);
    });
  }
}
