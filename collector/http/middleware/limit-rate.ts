import type { RequestHandler } from 'express';

/** Refuses a client that exceeds its request rate, before its token is checked, so that it also bounds guesses. Fault: `RATE_LIMITED`. */
export const limitRate: RequestHandler = (request, response, next) => {
  const refusal = response.locals.served.server.limits.refusalOf(request.socket);
  if (refusal !== undefined) throw refusal;
  next();
};
