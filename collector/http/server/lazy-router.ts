import type { Express, Request, Response } from 'express';
import { RequestFault } from '../messages/http-fault.js';
import type { LoadRouter, RawHandler } from './http-mount.js';

/**
 * Answers everything below a prefix by an Express application, which the first request there loads. Rejects with what the router throws, and with
 * `PATH_NOT_FOUND` where it takes no such path; does not settle where it answers.
 */
export function createLazyRouter(prefix: string, loadRouter: LoadRouter): RawHandler {
  let loading: Promise<Express> | undefined;
  const load = async (): Promise<Express> => {
    const [{ createExpressApp }, router] = await Promise.all([import('./express-app.js'), loadRouter()]);
    return createExpressApp(prefix, router);
  };
  return async (request, response) => {
    loading ??= load().catch((error: unknown) => {
      // For example no file could be opened just now: the next request tries again.
      loading = undefined;
      throw error;
    });
    const app = await loading;
    await new Promise((_resolve, reject) => {
      app(request as Request, response as Response, (error: unknown) => reject(readable(error)));
    });
  };
}

/** What Express ends with: nothing where no route takes the path, and a URIError where the path does not decode. */
function readable(error: unknown): unknown {
  if (error === undefined || error === null) {
    return new RequestFault('PATH_NOT_FOUND', 'nothing is served at this path');
  }
  return error instanceof URIError
    ? new RequestFault('REQUEST_TARGET_INVALID', 'the path holds a % that is not followed by two hexadecimal digits')
    : error;
}
