import type { IncomingMessage } from 'node:http';

/** Returns the path of a request as it was sent, without its query. */
export function requestPath({ url = '/' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}
