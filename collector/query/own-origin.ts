import type { IncomingMessage } from 'node:http';
import { quoted } from '../../config/printable.js';
import { RequestFault } from '../http/request-fault.js';

/**
 * Lets through programs, which send no `Origin`, and pages of this very address. Throws `ORIGIN_NOT_ALLOWED` for pages of others, which may send without asking
 * and would only not see the answer.
 */
export function refuseForeignOrigin({ headers: { origin, host } }: IncomingMessage): void {
  if (origin === undefined || (host !== undefined && origin.toLowerCase() === `http://${host.toLowerCase()}`)) return;
  const sentence = `pages of the origin ${quoted(origin)} may not do this; call from a program, without the header origin`;
  throw new RequestFault('ORIGIN_NOT_ALLOWED', sentence);
}
