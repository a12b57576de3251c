import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseDuration } from '../../../config/values/duration.js';
import { quoted } from '../../../config/values/printable.js';
import type { CorsSettings } from '../../../generated/settings.js';
import { RequestFault } from './http-fault.js';

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

/** More headers are nobody's; node:http would drop them in silence, and with them perhaps the one that matters. */
export const MAX_HEADERS = 100;
const HOST_LENGTH = 'host'.length;
const LOOPBACK = /^(?:localhost|(?:::ffff:)?127(?:\.(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])){3}|::1)$/;
const HOST_AND_PORT = /^(?:\[([0-9a-f:.]{2,45})\]|([^:[\]]{1,253}))(?::[0-9]{0,5})?$/;
const ALWAYS_ALLOWED_HEADERS = ['content-type', 'content-encoding'];
/** What stands for what in an origin that an operator allows. */
const WILDCARDS: Readonly<Record<string, string>> = { '*': '[a-z0-9._-]*', ':*': ':[0-9]*' };
/** Longer ones are nobody's, and are not compared. */
const MAX_ORIGIN_LENGTH = 300;
/** Of a person who typed the address, and of no page. */
const BY_HAND = 'none';

/**
 * Refuses what node:http lets through although a proxy in front of it may read it in another way: more headers than it keeps, several `Host`
 * (RFC 9112, 3.2), chunks in HTTP/1.0 (6.1). Throws `HEADERS_TOO_MANY` and `REQUEST_MALFORMED`.
 */
export function checkShape({ rawHeaders, headers, httpVersion }: IncomingMessage): void {
  // Names and values by turns.
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    throw unclearEnd('HEADERS_TOO_MANY', `the request has more than ${MAX_HEADERS} headers`);
  }
  let hosts = 0;
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place];
    if (name?.length === HOST_LENGTH && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1) throw unclearEnd('REQUEST_MALFORMED', 'the request names its host more than once');
  if (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined) {
    throw unclearEnd('REQUEST_MALFORMED', 'HTTP/1.0 has no transfer-encoding');
  }
}

/** Where its body ends may be understood in two ways, so nothing behind it is read. */
function unclearEnd(code: string, sentence: string): RequestFault {
  return new RequestFault(code, sentence, { headers: { connection: 'close' } });
}

/**
 * Path of the request, as it was sent. A target in absolute form (RFC 9112, 3.2.2) is first rewritten to origin form; its host then counts instead
 * of the header. Throws `REQUEST_TARGET_INVALID`.
 */
export function requestPath(request: IncomingMessage): string {
  if (!request.url?.startsWith('/')) rewriteToOriginForm(request);
  const target = request.url ?? '/';
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

function rewriteToOriginForm(request: IncomingMessage): void {
  const target = request.url ?? '';
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) {
    throw new RequestFault('REQUEST_TARGET_INVALID', 'the request target is neither a path nor an http address');
  }
  const { pathname, search, host, username, password } = new URL(target);
  if (username !== '' || password !== '') {
    throw new RequestFault(
      'REQUEST_TARGET_INVALID',
      'the request target names a user, which no address of a request has',
    );
  }
  request.url = pathname + search;
  request.headers.host = host;
}

/**
 * Whether a request may name this host: a loopback name, the endpoint's own host or one that an operator allowed, at any port, in any case.
 * A web page that points its own name at this machine (DNS rebinding) still sends that name. Only HTTP/1.0 leaves the header out, and no browser speaks it.
 */
export function isHostAllowed(header: string | undefined, ownHost: string, allowedHosts: readonly string[]): boolean {
  if (header === undefined) return true;
  const [, address, name] = HOST_AND_PORT.exec(header.toLowerCase()) ?? [];
  const host = address ?? name;
  if (host === undefined) return false;
  return isLoopbackHost(host) || host === bare(ownHost) || allowedHosts.some((allowed) => bare(allowed) === host);
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '').toLowerCase();
}

/** The fault for a request that names a host which is not served. */
export function hostNotAllowed(host: string | undefined): RequestFault {
  const sentence = `the host ${quoted(host ?? '')} is not served here; call localhost, or add the name to allowed_hosts`;
  return new RequestFault('HOST_NOT_ALLOWED', sentence);
}

/** Whether a host name or address without brackets, in any case, is this machine alone. Other names are not looked up: what they mean may change. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host.toLowerCase());
}

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

/** Whether a browser asks if a page may send (Fetch standard, CORS preflight). */
export function isPreflightRequest({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/**
 * Lets through programs, and people who type the address. A page could not read the answer, but could have it made: browsers say by `Sec-Fetch-Site`
 * (W3C Fetch Metadata) or `Origin` that a page asks. Throws `ORIGIN_NOT_ALLOWED`.
 */
export function refusePages({ headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site'];
  if (headers.origin === undefined && (site === undefined || site === BY_HAND)) return;
  throw new RequestFault('ORIGIN_NOT_ALLOWED', 'web pages may not call this; call from a program, or type the address');
}
