import type { IncomingMessage } from 'node:http';
import type { Authenticator } from '../http/authenticator.js';
import { RequestFault } from '../http/request-fault.js';

/** Who may read and who may act. */
export interface ReadingCallers {
  /** Undefined for a request that may pass. `TOKEN_MISSING`, `TOKEN_WRONG`, and `TOKEN_MAY_NOT_ACT` for one that acts with a token for reading. */
  refusalOf(request: IncomingMessage): RequestFault | undefined;
  /** Whether whoever sends a request could act too. */
  mayAct(request: IncomingMessage): boolean;
}

/** Methods that change nothing. */
const READING: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/**
 * Judges by two authenticators: `reading` lets read, and act where there is no `acting`; `acting` lets do both. Where neither is there anybody may do everything,
 * and where only `acting` is there anybody may read.
 */
export function createReadingCallers(
  reading: Authenticator | undefined,
  acting: Authenticator | undefined,
): ReadingCallers {
  const readingRefusal = (authorization: string | undefined): RequestFault | undefined => {
    const refusal = reading?.refusalOf(authorization);
    const isLetIn = refusal === undefined || (acting !== undefined && acting.refusalOf(authorization) === undefined);
    return isLetIn ? undefined : refusal;
  };
  const actingRefusal = (authorization: string | undefined): RequestFault | undefined => {
    if (acting === undefined) return readingRefusal(authorization);
    const refusal = acting.refusalOf(authorization);
    if (refusal === undefined) return undefined;
    const isReader = reading !== undefined && reading.refusalOf(authorization) === undefined;
    return isReader ? mayNotAct() : refusal;
  };
  return {
    refusalOf: ({ method, headers }) =>
      READING.has(method) ? readingRefusal(headers.authorization) : actingRefusal(headers.authorization),
    mayAct: ({ headers }) => actingRefusal(headers.authorization) === undefined,
  };
}

function mayNotAct(): RequestFault {
  const sentence = 'this token lets read only: act with one of those that actions_auth of this endpoint names';
  return new RequestFault('TOKEN_MAY_NOT_ACT', sentence);
}
