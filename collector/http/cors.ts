import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseDuration } from '../../config/duration.js';
import { quoted } from '../../config/printable.js';
import type { CorsSettings } from '../../generated/settings.js';
import { RequestFault } from './request-fault.js';

/** What a component's protocol adds to what an operator allows. */
export interface CorsProtocol {
  /** Request headers that the protocol's own pages set. */
  readonly headers: readonly string[];
  /** Response headers that its pages read. */
  readonly exposed: readonly string[];
}

/** Which pages of other origins may call a component, by the Fetch standard's CORS protocol. */
export interface CorsPolicy {
  /**
   * Sets what a browser has to see on every answer, also on a refusal. Throws `ORIGIN_NOT_ALLOWED` for an origin that is not listed: a page may
   * send simple requests without asking first, and would only not see the answer.
   */
  judge(request: IncomingMessage, response: ServerResponse): void;
  /** Answers a preflight; `judge` comes first. */
  answerPreflight(response: ServerResponse, methods: readonly string[]): void;
}

const ALWAYS_ALLOWED_HEADERS = ['content-type', 'content-encoding'];
/** What stands for what in an origin that an operator allows. */
const WILDCARDS: Readonly<Record<string, string>> = { '*': '[a-z0-9._-]*', ':*': ':[0-9]*' };
/** Longer ones are nobody's, and are not compared. */
const MAX_ORIGIN_LENGTH = 300;

/** Builds the policy of one component from its settings. */
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
    judge(request, response) {
      const { origin } = request.headers;
      if (!isOpenToAll) response.setHeader('vary', 'Origin');
      if (origin === undefined) return;
      if (!allows(origin)) throw originNotAllowed(origin);
      response.setHeader('access-control-allow-origin', isOpenToAll ? '*' : origin);
      if (protocol.exposed.length > 0) response.setHeader('access-control-expose-headers', protocol.exposed.join(', '));
    },
    answerPreflight(response, methods) {
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

/** `*` stands for parts of a host name, dots included, or behind a colon for a port: it reaches neither over the scheme nor beyond the host. */
function originPattern(text: string): RegExp {
  const source = text
    .toLowerCase()
    .split(/(:?\*)/)
    .map((part) => WILDCARDS[part] ?? part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('');
  return new RegExp(`^${source}$`);
}

function originNotAllowed(origin: string): RequestFault {
  const sentence = `pages of the origin ${quoted(origin)} may not send here; list it under cors.allowed_origins`;
  return new RequestFault('ORIGIN_NOT_ALLOWED', sentence);
}
