import type { IncomingMessage } from 'node:http';
import { RequestFault } from './request-fault.js';

/** More headers are nobody's; node:http would drop them in silence, and with them perhaps the one that matters. */
export const MAX_HEADERS = 100;

const HOST_LENGTH = 'host'.length;

/**
 * Refuses what node:http lets through although a proxy in front of it may read it in another way: more headers than it keeps, several `Host`
 * (RFC 9112, 3.2), chunks in HTTP/1.0 (6.1). Throws `HEADERS_TOO_MANY` and `REQUEST_MALFORMED`.
 */
export function checkShape({ rawHeaders, headers, httpVersion }: IncomingMessage): void {
  // Names and values by turns.
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    throw fault('HEADERS_TOO_MANY', `the request has more than ${MAX_HEADERS} headers`);
  }
  let hosts = 0;
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place];
    if (name?.length === HOST_LENGTH && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1) throw fault('REQUEST_MALFORMED', 'the request names its host more than once');
  if (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined) {
    throw fault('REQUEST_MALFORMED', 'HTTP/1.0 has no transfer-encoding');
  }
}

/** Where its body ends may be understood in two ways, so nothing behind it is read. */
function fault(code: string, sentence: string): RequestFault {
  return new RequestFault(code, sentence, { headers: { connection: 'close' } });
}
