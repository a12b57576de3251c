import type { RequestHandler } from 'express';
import { quoted } from '../../../config/values/printable.js';
import { isHostAllowed } from '../endpoints/hosts.js';
import { RequestFault } from '../messages/http-fault.js';

/** Creates middleware that refuses a `Host` which no component of the endpoint allows, so that it learns nothing else. Fault: `HOST_NOT_ALLOWED`. */
export function checkHost(ownHost: string, allowedHosts: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    const { host } = request.headers;
    if (!isHostAllowed(host, ownHost, allowedHosts)) throw hostNotAllowed(host);
    next();
  };
}

/** Refuses a `Host` that the component does not allow, though another one of the endpoint may. Fault: `HOST_NOT_ALLOWED`. */
export const checkHostOfComponent: RequestHandler = (request, response, next) => {
  const { server, allowedHosts } = response.locals.served;
  const { host } = request.headers;
  if (!isHostAllowed(host, server.host, allowedHosts)) throw hostNotAllowed(host);
  next();
};

function hostNotAllowed(host: string | undefined): RequestFault {
  const sentence = `the host ${quoted(host ?? '')} is not served here; call localhost, or add the name to allowed_hosts`;
  return new RequestFault('HOST_NOT_ALLOWED', sentence);
}
