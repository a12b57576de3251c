import type { RequestHandler } from 'express';
import { readablePaths } from '../declared-routes.js';
import { requestPath } from '../messages/request-path.js';
import type { ServedRoutes } from '../served-routes.js';
import type { HttpServer } from '../server/http-server.js';

/**
 * Creates middleware that lets requests wait while a reload exchanges the components. What reports health does not wait once it is open, because the
 * other components may fail to start.
 */
export function holdDuringReload({ held }: HttpServer, components: readonly ServedRoutes[]): RequestHandler {
  const reporting = components.filter(({ reportsHealth }) => reportsHealth);
  const reportsHealthAt = (path: string) =>
    reporting.some(({ gate, router }) => gate.isOpen && readablePaths(router).includes(path));
  return (request, response, next) => {
    if (!held.isHolding || reportsHealthAt(requestPath(request)) || !held.hold(request, response)) next();
  };
}
