import type { IncomingMessage } from 'node:http';
import { RequestFault } from './request-fault.js';

/** Of a person who typed the address, and of no page. */
const BY_HAND = 'none';

/**
 * Lets through programs, and people who type the address. A page could not read the answer, but could have it made: browsers say by `Sec-Fetch-Site`
 * (W3C Fetch Metadata) or `Origin` that a page asks. Throws `ORIGIN_NOT_ALLOWED`.
 */
export function refusePages({ headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site'];
  if (headers.origin === undefined && (site === undefined || site === BY_HAND)) return;
  throw new RequestFault('ORIGIN_NOT_ALLOWED', 'web pages may not call this; call from a program, or type the address');
}
