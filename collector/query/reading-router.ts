import type { RequestHandler, Router } from 'express';
import { Fault, messageOf } from '../../core/event/fault.js';
import { isUnauthorized } from '../../core/merged/connection.js';
import { createRouter, refuseOtherMethods } from '../http/server/express-app.js';
import type { ApiCall, ApiRoute, ReadingSources } from './api-route.js';
import type { GroupReader } from './group-reader.js';
import { API_ROUTES } from './openapi-document.js';

/** Builds the router of the reading API; a group answers for the sources, which are a part of it. */
export function createReadingRouter(sources: ReadingSources, group?: GroupReader): Router {
  const router = createRouter();
  for (const path of new Set(API_ROUTES.map((one) => one.path))) {
    const served = router.route(path.replace(/\{(\w+)\}/, ':$1'));
    const routes = API_ROUTES.filter((one) => one.path === path);
    for (const { method, serve } of routes) {
      const handler: RequestHandler = (request, response) => {
        const call: ApiCall = { ...sources, ownReader: sources.reader, missing: () => [], request, response };
        return group === undefined || group.isOwnOnly(request) ? serve(call) : serveGroup(serve, call, group);
      };
      served[method](handler);
    }
    served.all(
      refuseOtherMethods(routes.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : method.toUpperCase()))),
    );
  }
  return router;
}

async function serveGroup(serve: ApiRoute['serve'], call: ApiCall, group: GroupReader): Promise<void> {
  try {
    await serve({ ...call, reader: () => group, actions: () => group, group, missing: group.watchLost() });
  } catch (error) {
    // A peer refused this collector's token; the caller's was accepted.
    if (!isUnauthorized(error)) throw error;
    throw new Fault('COLLECTOR_UNREACHABLE', messageOf(error), { cause: error, retryable: true });
  }
}
