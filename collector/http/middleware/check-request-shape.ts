import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { RequestFault } from '../messages/http-fault.js';
import { MAX_HEADERS } from '../server/node-server.js';

const PATH = /^[^?]*/;
const HOST_LENGTH = 'host'.length;

/**
 * Refuses what proxies may read differently (RFC 9112, 3.2 and 6.1), turns an absolute target (3.2.2) into a path, whose host replaces the header, and reads
 * repeated slashes of a path as one: exporters add `/v1/logs` to an address that ends with a slash, and do not follow a redirect.
 * Faults: `HEADERS_TOO_MANY`, `REQUEST_MALFORMED` and `REQUEST_TARGET_INVALID`.
 */
export const checkRequestShape: RequestHandler = (request, _response, next) => {
  checkHeaders(request);
  if (!request.url.startsWith('/')) rewriteToOriginForm(request);
  if (request.url.includes('//')) request.url = request.url.replace(PATH, (path) => path.replace(/\/{2,}/g, '/'));
  // A target has no fragment. Express would end the path there, and read a backslash as a slash.
  if (request.url.includes('#')) request.url = request.url.replaceAll('#', '%23');
  next();
};

function checkHeaders({ rawHeaders, headers, httpVersion }: IncomingMessage): void {
  // Names and values alternate.
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    throw unclearEnd('HEADERS_TOO_MANY', `the request has more than ${MAX_HEADERS} headers`);
  }
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === HOST_LENGTH && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1) throw unclearEnd('REQUEST_MALFORMED', 'the request names its host more than once');
  if (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined) {
    throw unclearEnd('REQUEST_MALFORMED', 'HTTP/1.0 has no transfer-encoding');
  }
}

/** The end of the body is ambiguous, so nothing after it is read. */
function unclearEnd(code: string, sentence: string): RequestFault {
  return new RequestFault(code, sentence, { headers: { connection: 'close' } });
}

function rewriteToOriginForm(request: IncomingMessage): void {
  const target = request.url ?? '';
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) {
    throw new RequestFault('REQUEST_TARGET_INVALID', 'the request target is neither a path nor an http address');
  }
  const { pathname, search, host, username, password } = new URL(target);
  if (username !== '' || password !== '') {
    throw new RequestFault('REQUEST_TARGET_INVALID', 'the request target must not contain user information');
  }
  request.url = pathname + search;
  request.headers.host = host;
}
