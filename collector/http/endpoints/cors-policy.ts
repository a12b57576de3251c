import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseDuration } from '../../../config/values/duration.js';
import { quoted } from '../../../config/values/printable.js';
import type { CorsSettings } from '../../../generated/settings.js';
import { RequestFault } from '../messages/http-fault.js';

/** Headers that a component's protocol adds to the CORS settings. */
interface CorsProtocol {
  /** Request headers that pages of the protocol set. */
  readonly headers: readonly string[];
  /** Response headers that its pages read. */
  readonly exposed: readonly string[];
}

/** Decides which web pages of other origins may call a component (Fetch standard, CORS). */
export interface CorsPolicy {
  /** Sets the CORS headers, also of a refusal. Throws `ORIGIN_NOT_ALLOWED`: else other pages could send and only not read the response. */
  check(request: IncomingMessage, response: ServerResponse): void;
  /** Responds to a preflight; call `check` first. */
  sendPreflight(response: ServerResponse, methods: readonly string[]): void;
}

const ALWAYS_ALLOWED_HEADERS = ['content-type', 'content-encoding'];
/** Regular expressions of the wildcards in an allowed origin. */
const WILDCARDS: Readonly<Record<string, string>> = { '*': '[a-z0-9._-]*', ':*': ':[0-9]*' };
/** Longer origins are not compared. */
const MAX_ORIGIN_LENGTH = 300;

/** Creates the policy of one component. */
export function createCorsPolicy(settings: CorsSettings, protocol: CorsProtocol): CorsPolicy {
  const patterns = settings.allowed_origins.map(originPattern);
  const isOpenToAll = settings.allowed_origins.includes('*');
  const allowHeaders = [...ALWAYS_ALLOWED_HEADERS, ...protocol.headers, ...settings.allowed_headers].join(', ');
  const maxAgeSeconds = String(Math.floor(parseDuration(settings.max_age) / 1_000));

  function allows(origin: string): boolean {
    const isKnown =
      origin.length <= MAX_ORIGIN_LENGTH && patterns.some((pattern) => pattern.test(origin.toLowerCase()));
    return isOpenToAll || isKnown;
  }

  return {
    check(request, response) {
      const { origin } = request.headers;
      if (!isOpenToAll) response.setHeader('vary', 'Origin');
      if (origin === undefined) return;
      if (!allows(origin)) {
        const sentence = `pages of the origin ${quoted(origin)} may not send here; list it under cors.allowed_origins`;
        throw new RequestFault('ORIGIN_NOT_ALLOWED', sentence);
      }
      response.setHeader('access-control-allow-origin', isOpenToAll ? '*' : origin);
      if (protocol.exposed.length > 0) response.setHeader('access-control-expose-headers', protocol.exposed.join(', '));
    },
    sendPreflight(response, methods) {
      response.writeHead(204, {
        'access-control-allow-methods': [...methods, 'OPTIONS'].join(', '),
        'access-control-allow-headers': allowHeaders,
        'access-control-max-age': maxAgeSeconds,
        'content-length': '0',
      });
      response.end();
    },
  };
}

/** `*` matches parts of a host name, including dots, or a port after a colon; it never matches across the scheme or beyond the host. */
function originPattern(text: string): RegExp {
  const source = text
    .toLowerCase()
    .split(/(:?\*)/)
    .map((part) => WILDCARDS[part] ?? part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('');
  return new RegExp(`^${source}$`);
}
