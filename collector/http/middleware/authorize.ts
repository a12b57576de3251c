import type { RequestHandler } from 'express';
import { accessRefusal } from '../endpoints/access-rule.js';

/** Refuses callers by the access rule of the route, and counts them. */
export const authorize: RequestHandler = (request, response, next) => {
  const { access, served } = response.locals;
  const refusal = accessRefusal(access, request, served.server.host);
  if (refusal !== undefined) {
    served.unauthorized.add();
    throw refusal;
  }
  next();
};
