import type { RequestHandler } from 'express';
import { corsOf } from '../endpoints/access-rule.js';
import { RequestFault } from '../messages/http-fault.js';

/** `Sec-Fetch-Site` of an address that a user typed; pages cannot send it. */
const TYPED_BY_A_PERSON = 'none';

/** Refuses web pages that may not call the route, and sets the CORS headers for those that may. Fault: `ORIGIN_NOT_ALLOWED`. */
export const checkPage: RequestHandler = (request, response, next) => {
  const cors = corsOf(response.locals.access);
  if (cors !== undefined) cors.check(request, response);
  else if (isFromPage(request.headers)) {
    throw new RequestFault(
      'ORIGIN_NOT_ALLOWED',
      'web pages may not call this; call from a program, or type the address',
    );
  }
  next();
};

/** Also of requests that have effects without being read. */
function isFromPage({ origin, 'sec-fetch-site': site }: NodeJS.Dict<string | string[]>): boolean {
  return origin !== undefined || (site !== undefined && site !== TYPED_BY_A_PERSON);
}
