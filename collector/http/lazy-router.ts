import type { FaultAnswer, RequestAnswer } from './express-app.js';
import type { HotHandler, LoadRouter } from './http-door.js';

/** Answers everything below a prefix by an Express application, which the first request there loads. */
export function createLazyRouter(
  prefix: string,
  loadRouter: LoadRouter,
  answerUnknown: RequestAnswer,
  answerFault: FaultAnswer,
): HotHandler {
  let loading: Promise<RequestAnswer> | undefined;
  const load = async (): Promise<RequestAnswer> => {
    const [{ createExpressApp }, router] = await Promise.all([import('./express-app.js'), loadRouter()]);
    return createExpressApp(prefix, router, answerUnknown, answerFault);
  };
  return async (request, response) => {
    loading ??= load().catch((error: unknown) => {
      // For example no file could be opened just now: the next request tries again.
      loading = undefined;
      throw error;
    });
    (await loading)(request, response);
  };
}
