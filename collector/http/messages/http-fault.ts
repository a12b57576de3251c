import { Fault } from '../../../core/event/fault.js';
import type { JsonObject } from '../../../core/event/json.js';

interface RequestFaultOptions {
  cause?: unknown;
  retryable?: boolean;
  /** Further members of the problem document, for example the parameter's name. */
  members?: JsonObject;
  /** Further response headers, for example `allow`. */
  headers?: Readonly<Record<string, string>>;
}

/** A fault of one request. */
export class RequestFault extends Fault {
  readonly members: JsonObject;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: string, message: string, options: RequestFaultOptions = {}) {
    super(code, message, options);
    this.members = options.members ?? {};
    this.headers = options.headers ?? {};
  }
}

/** The fault for a known path without this method. */
export function methodNotAllowed(method: string | undefined, allowed: readonly string[]): RequestFault {
  const allow = allowed.join(', ');
  return new RequestFault('METHOD_NOT_ALLOWED', `${method} is not allowed here; use ${allow}`, { headers: { allow } });
}
