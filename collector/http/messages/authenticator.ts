import type { AuthSettings } from '../../../generated/settings.js';
import type { RequestFault } from './http-fault.js';

export interface Authenticator {
  /** Undefined for an allowed request, else `TOKEN_MISSING` or `TOKEN_WRONG` (401). `authorization` is the header, or the metadata of a gRPC call. */
  refusalOf(authorization: string | undefined): RequestFault | undefined;
}

/** Finds the authenticator of an endpoint's `auth` settings; undefined if they name none. Throws `COMPONENT_UNKNOWN`. */
export type FindAuthenticator = (auth: AuthSettings) => Authenticator | undefined;
