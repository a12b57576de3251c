import type { IncomingMessage } from 'node:http';
import type { CorsSettings } from '../../generated/settings.js';
import { type CorsPolicy, createCorsPolicy } from '../http/cors.js';

/** What pages that read and act set, and what they read. */
const PROTOCOL = { headers: ['authorization', 'last-event-id'], exposed: ['retry-after', 'www-authenticate'] };

/** The CORS policy of the reading endpoint: as settings say, and pages of its own address, which is no other origin. */
export function createReadingPages(settings: CorsSettings): CorsPolicy {
  const others = createCorsPolicy(settings, PROTOCOL);
  return {
    judge(request, response) {
      if (!isOwnOrigin(request)) others.judge(request, response);
    },
    answerPreflight: others.answerPreflight,
  };
}

/** Whether a page of this very address sends the request. */
function isOwnOrigin({ headers: { origin, host }, socket }: IncomingMessage): boolean {
  if (origin === undefined || host === undefined) return false;
  const scheme = 'encrypted' in socket ? 'https' : 'http';
  return origin.toLowerCase() === `${scheme}://${host.toLowerCase()}`;
}
