import type { AuthSettings } from '../../../generated/settings.js';
import type { Counter } from '../../telemetry/meters.js';
import type { RequestFault } from './http-fault.js';

export interface Authenticator {
  /** Undefined for an allowed request, else `TOKEN_MISSING` or `TOKEN_WRONG` (401). `authorization` is the header, or the metadata of a gRPC call. */
  refusalOf(authorization: string | undefined): RequestFault | undefined;
}

/** Finds the authenticator of an endpoint's `auth` settings; undefined if they name none. Throws `COMPONENT_UNKNOWN`. */
export type FindAuthenticator = (auth: AuthSettings) => Authenticator | undefined;

/** Wraps an authenticator so that its refusals are counted; undefined stays undefined. */
export function countRefusals(authenticator: Authenticator | undefined, refused: Counter): Authenticator | undefined {
  return (
    authenticator && {
      refusalOf(authorization) {
        const refusal = authenticator.refusalOf(authorization);
        if (refusal !== undefined) refused.add();
        return refusal;
      },
    }
  );
}
