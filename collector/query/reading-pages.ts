import type { CorsSettings } from '../../config/settings.js';
import { type CorsPolicy, createCorsPolicy } from '../http/cors.js';
import { isOwnOrigin } from './own-origin.js';

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
