import { RequestFault } from './request-fault.js';

/** The fault for a known path that does not take this method. */
export function methodNotAllowed(method: string | undefined, allowed: readonly string[]): RequestFault {
  const allow = allowed.join(', ');
  return new RequestFault('METHOD_NOT_ALLOWED', `${method} is not allowed here; use ${allow}`, { headers: { allow } });
}
