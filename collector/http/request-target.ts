import type { IncomingMessage } from 'node:http';
import { RequestFault } from './request-fault.js';

/**
 * Path of the request, as it was sent. A target in absolute form (RFC 9112, 3.2.2) is first rewritten to origin form; its host then counts instead
 * of the header. Throws `REQUEST_TARGET_INVALID`.
 */
export function requestPath(request: IncomingMessage): string {
  if (!request.url?.startsWith('/')) rewriteToOriginForm(request);
  const target = request.url ?? '/';
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

function rewriteToOriginForm(request: IncomingMessage): void {
  const target = request.url ?? '';
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) {
    throw new RequestFault('REQUEST_TARGET_INVALID', 'the request target is neither a path nor an http address');
  }
  const { pathname, search, host, username, password } = new URL(target);
  if (username !== '' || password !== '') {
    throw new RequestFault(
      'REQUEST_TARGET_INVALID',
      'the request target names a user, which no address of a request has',
    );
  }
  request.url = pathname + search;
  request.headers.host = host;
}
