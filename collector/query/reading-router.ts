import express, { type RequestHandler, type Router } from 'express';
import { Fault, messageOf } from '../../core/event/fault.js';
import { isUnauthorized } from '../../core/merged/connection.js';
import { servedPaths } from '../http/declared-routes.js';
import { refuseOtherMethods } from '../http/middleware/refuse-other-methods.js';
import type { ApiCall, ApiRoute, ReadingSources } from './api-route.js';
import type { GroupReader } from './group-reader.js';
import { API_ROUTES } from './openapi-document.js';

/** Path of the reading API. */
export const API_ROOT = '/api/v1';

/** Creates the router of the reading API; a group answers for the sources, which are a part of it. */
export function createReadingRouter(sources: ReadingSources, group: () => GroupReader | undefined): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const { method, path, serve } of API_ROUTES) {
    const handler: RequestHandler = (request, response) => {
      const call: ApiCall = { ...sources, ownReader: sources.reader, missing: () => [], request, response };
      const whole = group();
      return whole === undefined || whole.isOwnOnly(request) ? serve(call) : serveGroup(serve, call, whole);
    };
    router[method](expressPath(path), handler);
  }
  refuseOtherMethods(router, servedPaths(router));
  return router;
}

function expressPath(path: string): string {
  return API_ROOT + path.replace(/\{(\w+)\}/, ':$1');
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
