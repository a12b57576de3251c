import type { AuthSettings } from '../../../generated/settings.js';
import type { Counter } from '../../telemetry/meters.js';
import type { RequestFault } from './http-fault.js';

/** Decides who may call, by what a request says of itself. */
export interface Authenticator {
  /** Undefined for a request that may pass. `authorization` is its header, or the metadata of a gRPC call. `TOKEN_MISSING` (401) and `TOKEN_WRONG` (401) else. */
  refusalOf(authorization: string | undefined): RequestFault | undefined;
}

/** Finds who decides, as `auth` of an endpoint says; undefined where it names nobody. Throws `COMPONENT_UNKNOWN`. */
export type FindAuthenticator = (auth: AuthSettings) => Authenticator | undefined;

/** An authenticator whose refusals are counted; undefined stays undefined. */
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
