import type { IncomingHttpHeaders } from 'node:http';
import type { SenderOrigin } from '../../../core/contract/stages.js';
import { isLoopbackHost } from './hosts.js';

/** Set by proxies and by browsers: the connection is local, the sender of the text need not be. */
const SENT_ON = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via', 'origin'] as const;

/** Who sent a request; ask before its connection may close. `hasToken`: the endpoint accepted its token. */
export function senderOrigin(
  headers: IncomingHttpHeaders,
  address: string | undefined,
  hasToken: boolean,
): SenderOrigin {
  if (hasToken) return 'token';
  const isLocal = address !== undefined && isLoopbackHost(address);
  return isLocal && SENT_ON.every((name) => headers[name] === undefined) ? 'local' : 'anonymous';
}
