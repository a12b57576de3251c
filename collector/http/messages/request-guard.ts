import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { parseDuration } from '../../../config/values/duration.js';
import { quoted } from '../../../config/values/printable.js';
import type { SenderOrigin } from '../../../core/contract/stages.js';
import type { CorsSettings } from '../../../generated/settings.js';
import { RequestFault } from './http-fault.js';

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

/** node:http silently drops headers beyond a limit; we refuse such requests instead. */
export const MAX_HEADERS = 100;
const HOST_LENGTH = 'host'.length;
const LOOPBACK = /^(?:localhost|(?:::ffff:)?127(?:\.(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])){3}|::1)$/;
const HOST_AND_PORT = /^(?:\[([0-9a-f:.]{2,45})\]|([^:[\]]{1,253}))(?::[0-9]{0,5})?$/;
const ALWAYS_ALLOWED_HEADERS = ['content-type', 'content-encoding'];
/** Regular expressions of the wildcards in an allowed origin. */
const WILDCARDS: Readonly<Record<string, string>> = { '*': '[a-z0-9._-]*', ':*': ':[0-9]*' };
/** Longer origins are not compared. */
const MAX_ORIGIN_LENGTH = 300;
/** `Sec-Fetch-Site` of an address that a user typed; pages cannot send it. */
const TYPED_BY_A_PERSON = 'none';

/** Refuses what proxies may read differently (RFC 9112, 3.2 and 6.1). Throws `HEADERS_TOO_MANY` and `REQUEST_MALFORMED`. */
export function checkShape({ rawHeaders, headers, httpVersion }: IncomingMessage): void {
  // Names and values alternate.
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    throw unclearEnd('HEADERS_TOO_MANY', `the request has more than ${MAX_HEADERS} headers`);
  }
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === HOST_LENGTH && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1) throw unclearEnd('REQUEST_MALFORMED', 'the request names its host more than once');
  if (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined) {
    throw unclearEnd('REQUEST_MALFORMED', 'HTTP/1.0 has no transfer-encoding');
  }
}

/** The end of the body is ambiguous, so nothing after it is read. */
function unclearEnd(code: string, sentence: string): RequestFault {
  return new RequestFault(code, sentence, { headers: { connection: 'close' } });
}

/** The path as sent; of an absolute target (RFC 9112, 3.2.2) the host replaces the header. Throws `REQUEST_TARGET_INVALID`. */
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
    throw new RequestFault('REQUEST_TARGET_INVALID', 'the request target must not contain user information');
  }
  request.url = pathname + search;
  request.headers.host = host;
}

/** Whether `Host` is a loopback name, the endpoint's host or an allowed one, which stops DNS rebinding. Only HTTP/1.0 omits the header. */
export function isHostAllowed(header: string | undefined, ownHost: string, allowedHosts: readonly string[]): boolean {
  if (header === undefined) return true;
  const host = nameOfHost(header);
  if (host === undefined) return false;
  return isLoopbackHost(host) || host === bare(ownHost) || allowedHosts.some((allowed) => bare(allowed) === host);
}

/** The host name or address in a `Host` header, in lower case, without brackets and port; undefined without a valid one. */
export function nameOfHost(header: string | undefined): string | undefined {
  const [, address, name] = HOST_AND_PORT.exec(header?.toLowerCase() ?? '') ?? [];
  return address ?? name;
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '').toLowerCase();
}

/** The fault for a `Host` that is not allowed. */
export function hostNotAllowed(host: string | undefined): RequestFault {
  const sentence = `the host ${quoted(host ?? '')} is not served here; call localhost, or add the name to allowed_hosts`;
  return new RequestFault('HOST_NOT_ALLOWED', sentence);
}

/** Whether a host name or address without brackets, in any case, is loopback. Other names are not resolved, because their address may change. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host.toLowerCase());
}

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

/** Whether a request is a CORS preflight. */
export function isPreflightRequest({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** Refuses requests of web pages by `Sec-Fetch-Site` or `Origin`, as they have effects without being read. Throws `ORIGIN_NOT_ALLOWED`. */
export function refusePages({ headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site'];
  if (headers.origin === undefined && (site === undefined || site === TYPED_BY_A_PERSON)) return;
  throw new RequestFault('ORIGIN_NOT_ALLOWED', 'web pages may not call this; call from a program, or type the address');
}

/** Set by proxies and by browsers: the connection is local, the sender of the text need not be. */
const SENT_ON = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via', 'origin'] as const;

/** Who sent a request; ask before its connection may close. `hasToken`: the endpoint accepted its token. */
export function senderOrigin(
  headers: IncomingHttpHeaders,
  address: string | undefined,
  hasToken: boolean,
): SenderOrigin {
  if (hasToken) return 'token';
  const isLocal = address !== undefined && isLoopbackHost(address);
  return isLocal && SENT_ON.every((name) => headers[name] === undefined) ? 'local' : 'anonymous';
}
