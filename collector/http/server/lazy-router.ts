import type { Express, Request, Response } from 'express';
import { RequestFault } from '../messages/http-fault.js';
import type { LoadRouter, RawHandler } from './http-mount.js';

/** Creates a handler by an Express application, loaded on the first request. Rejects with `PATH_NOT_FOUND`; does not settle if it responds. */
export function createLazyRouter(prefix: string, loadRouter: LoadRouter): RawHandler {
  let loading: Promise<Express> | undefined;
  const load = async (): Promise<Express> => {
    const [{ createExpressApp }, router] = await Promise.all([import('./express-app.js'), loadRouter()]);
    return createExpressApp(prefix, router);
  };
  return async (request, response) => {
    loading ??= load().catch((error: unknown) => {
      // For example too many open files: the next request retries.
      loading = undefined;
      throw error;
    });
    const app = await loading;
    await new Promise((_resolve, reject) => {
      app(request as Request, response as Response, (error: unknown) => reject(toRequestError(error)));
    });
  };
}

/** Express passes undefined for an unknown path, and a URIError for a path that does not decode. */
function toRequestError(error: unknown): unknown {
  if (error === undefined || error === null) {
    return new RequestFault('PATH_NOT_FOUND', 'nothing is served at this path');
  }
  return error instanceof URIError
    ? new RequestFault('REQUEST_TARGET_INVALID', 'the path holds a % that is not followed by two hexadecimal digits')
    : error;
}
