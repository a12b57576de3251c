import type { RequestHandler } from 'express';

/** Refuses requests while the component starts or stops; its stop waits for the others. Faults: `COLLECTOR_STARTING` and `COLLECTOR_STOPPING`. */
export const admitRequest: RequestHandler = (_request, response, next) => {
  response.locals.served.gate.admit(response);
  next();
};
