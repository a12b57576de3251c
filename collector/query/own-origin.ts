import type { IncomingMessage } from 'node:http';

/** Whether a page of this very address sends the request. */
export function isOwnOrigin({ headers: { origin, host }, socket }: IncomingMessage): boolean {
  if (origin === undefined || host === undefined) return false;
  const scheme = 'encrypted' in socket ? 'https' : 'http';
  return origin.toLowerCase() === `${scheme}://${host.toLowerCase()}`;
}
