import type { RequestHandler } from 'express';

/** Counts the response of a component by its status, or that the client left first; not for preflights. */
export const countResponse: RequestHandler = (request, response, next) => {
  const { onResponse } = response.locals.served;
  if (onResponse !== undefined && request.method !== 'OPTIONS') {
    response.once('close', () => onResponse(response.headersSent ? response.statusCode : undefined));
  }
  next();
};
