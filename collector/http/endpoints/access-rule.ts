import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Fault } from '../../../core/event/fault.js';
import type { RequestFault } from '../messages/http-fault.js';
import type { CorsPolicy } from './cors-policy.js';
import { isLoopbackHost, nameOfHost } from './hosts.js';
import { senderOrigin } from './sender-origin.js';

/** Who may call a route, and from which web pages. Every route declares one with `allow`, which checks it before the handler runs. */
export type AccessRule = OpenAccess | LocalAccess | ClosedAccess | TokenAccess | KeyAccess;

/** Everyone who reaches the endpoint: for what shows no events, such as health and metrics. */
interface OpenAccess {
  readonly kind: 'open';
  /** Web pages that may call; absent: none. */
  readonly cors?: CorsPolicy;
}

/** Programs on this machine, through an endpoint that no other machine reaches. No web pages. */
interface LocalAccess {
  readonly kind: 'local';
  /** What all others get. */
  readonly refusal: RequestFault;
}

/** Nobody, until a setting names a token. */
interface ClosedAccess {
  readonly kind: 'closed';
  /** Names the setting. */
  readonly refusal: RequestFault;
}

/** Callers with a token of a scope. */
export interface TokenAccess {
  readonly kind: 'token';
  /** What the token is for: to send events, to read and act, to record releases, or to call a route of a plugin. */
  readonly scope: 'ingest' | 'reading' | 'releases' | 'plugin';
  readonly refusalOf: TokenCheck;
  /** Web pages that may call; absent: none. */
  readonly cors?: CorsPolicy;
}

/** Senders to a Sentry project, whose key the handler checks, because it may be in the body; and whose token is checked before. */
interface KeyAccess {
  readonly kind: 'dsn_key';
  readonly refusalOf: TokenCheck;
  /** Web pages that may call; absent: none. */
  readonly cors?: CorsPolicy;
}

/** Returns why the token of a call over HTTP or gRPC is refused; undefined if it is not, or if none is asked for. */
export type TokenCheck = (call: {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}) => RequestFault | undefined;

/** Checks tokens. */
export interface Authenticator {
  /** Undefined for an allowed request, else `TOKEN_MISSING` or `TOKEN_WRONG` (401). `authorization` is the header, or the metadata of a gRPC call. */
  refusalOf(authorization: string | undefined): RequestFault | undefined;
}

/** Creates the check by an authenticator; without one it asks for no token, which the start allows on localhost only unless settings say otherwise. */
export function tokenCheck(authenticator: Authenticator | undefined): TokenCheck {
  return ({ headers }) => authenticator?.refusalOf(headers.authorization);
}

/** Whether a value is an access rule; callers may be JavaScript. */
export function isAccessRule(rule: unknown): rule is AccessRule {
  if (typeof rule !== 'object' || rule === null || !('kind' in rule)) return false;
  if (rule.kind === 'local' || rule.kind === 'closed') return 'refusal' in rule && rule.refusal instanceof Fault;
  if (rule.kind === 'token' || rule.kind === 'dsn_key') {
    return 'refusalOf' in rule && typeof rule.refusalOf === 'function';
  }
  return rule.kind === 'open';
}

/** Returns a rule as one word for the log: its kind, or the scope of its token. */
export function accessText(rule: AccessRule): string {
  return rule.kind === 'token' ? rule.scope : rule.kind;
}

/** Returns why a rule refuses a request; undefined if it does not. `endpointHost` is the configured host of its endpoint. */
export function accessRefusal(
  rule: AccessRule,
  request: IncomingMessage,
  endpointHost: string,
): RequestFault | undefined {
  switch (rule.kind) {
    case 'open':
      return undefined;
    case 'local':
      return isLoopbackHost(endpointHost) && isLocalCall(request) ? undefined : rule.refusal;
    case 'closed':
      return rule.refusal;
    case 'token':
    case 'dsn_key':
      return rule.refusalOf(request);
  }
}

/** Whether a program on this machine sent a request for this machine, not a proxy that passes on what others sent. */
function isLocalCall({ headers, socket }: IncomingMessage): boolean {
  const host = nameOfHost(headers.host);
  if (host === undefined || !isLoopbackHost(host)) return false;
  return senderOrigin(headers, socket.remoteAddress, false) === 'local';
}

/** Returns the policy for the web pages that a rule lets call; undefined if it lets none. */
export function corsOf(rule: AccessRule): CorsPolicy | undefined {
  return rule.kind === 'local' || rule.kind === 'closed' ? undefined : rule.cors;
}
