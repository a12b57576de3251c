import { parseDuration } from './duration.js';
import { isHostName, parseEndpoint } from './endpoint.js';
import { parseSize } from './size.js';
import { ValueError } from './value-error.js';

/** Scheme, host and port of RFC 6454, where `*` stands for one part of the host, or for the port. */
const ORIGIN_PATTERN = /^([a-z][a-z0-9+.-]{0,30}):\/\/([^/?#@\s]{1,260})$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const URL_PATH = /^(?:\/[\w.~!$&'()*+,;=:@%-]{1,200}){1,20}\/?$/;

/** Throws a ValueError when the text is neither `*` nor an origin such as `https://*.example.com:8443`. */
function checkOriginPattern(text: string): void {
  if (text === '') throw new ValueError('it is empty');
  if (text === '*' || text === 'null' || ORIGIN_PATTERN.test(text)) return;
  const trimmed = /^(https?:\/\/[^/]+)\//.exec(text)?.[1];
  if (trimmed !== undefined) throw new ValueError('an origin has no path', trimmed);
  if (!text.includes('://')) throw new ValueError('the scheme is missing', `https://${text}`);
  throw new ValueError('it is not an origin');
}

/** Throws a ValueError if the text is not a header name. */
function checkHeaderName(text: string): void {
  if (!HEADER_NAME.test(text)) throw new ValueError('it is not a header name');
}

/** Throws a ValueError if the text is not a URL path that begins with `/`. */
function checkUrlPath(text: string): void {
  if (text === '/' || URL_PATH.test(text)) return;
  throw text.startsWith('/') || text === ''
    ? new ValueError('it is not a URL path')
    : new ValueError('it does not begin with /', `/${text}`);
}

/** As `checkUrlPath`; empty is allowed, a slash at the end is not. */
function checkPathPrefix(text: string): void {
  if (text === '') return;
  if (text.endsWith('/')) throw new ValueError('it ends with /', text.replace(/\/+$/, ''));
  checkUrlPath(text);
}

/** Throws a ValueError if the text is not an absolute address of HTTP or HTTPS, or carries a user, a password or a fragment. */
function checkHttpUrl(text: string): void {
  if (text === '') throw new ValueError('it is empty');
  if (!/^https?:\/\//i.test(text)) throw new ValueError('the scheme is missing', `https://${text}`);
  if (!URL.canParse(text)) throw new ValueError('it is not an address');
  const { username, password, hash } = new URL(text);
  if (username !== '' || password !== '') throw new ValueError('it carries a user: put credentials into headers');
  if (hash !== '') throw new ValueError('it has a fragment');
}

/** What a `format` of schema.json asks of a text. */
interface ValueFormat {
  /** For people, after "expected". */
  expected: string;
  /** The text as a number to compare (`formatMinimum`, `formatMaximum`), or anything; throws a ValueError when the text does not fit. */
  parse(text: string): unknown;
}

/** The formats of schema.json by name. */
export const VALUE_FORMATS: ReadonlyMap<string, ValueFormat> = new Map([
  ['go-duration', { expected: 'a duration such as 300ms, 5s or 2h45m', parse: parseDuration }],
  ['byte-size', { expected: 'a size such as 500KB, 64MiB or 1048576', parse: parseSize }],
  ['host-port', { expected: 'an endpoint such as localhost:4318, :4318 or [::1]:4318', parse: parseEndpoint }],
  ['host-name', { expected: 'a host name or address without port', parse: checkHostName }],
  ['file-path', { expected: 'a path', parse: checkPath }],
  ['origin-pattern', { expected: 'an origin such as https://shop.example.com or *', parse: checkOriginPattern }],
  ['header-name', { expected: 'the name of a header such as x-request-id', parse: checkHeaderName }],
  ['url-path', { expected: 'a path such as /v1/logs', parse: checkUrlPath }],
  ['path-prefix', { expected: 'a path such as /errors without a slash at its end', parse: checkPathPrefix }],
  ['http-url', { expected: 'an address such as https://otel.example.com:4318', parse: checkHttpUrl }],
]);

/** The same by name, as the generated settings check asks for them. */
export const FORMAT_CHECKS: Readonly<Record<string, { validate(text: string): boolean }>> = Object.fromEntries(
  [...VALUE_FORMATS.keys()].map((name) => [name, { validate: (text) => faultOfFormat(name, text) === undefined }]),
);

/** What is wrong with a text under a format; undefined when it fits or the format is unknown. */
export function faultOfFormat(format: string, text: string): ValueError | undefined {
  try {
    VALUE_FORMATS.get(format)?.parse(text);
    return undefined;
  } catch (error) {
    if (error instanceof ValueError) return error;
    throw error;
  }
}

/** Below zero when the first text is less than the second, as the format counts; undefined when either does not fit. */
export function compareByFormat(format: string, first: string, second: string): number | undefined {
  if (faultOfFormat(format, first) !== undefined || faultOfFormat(format, second) !== undefined) return undefined;
  const rule = VALUE_FORMATS.get(format);
  return rule === undefined ? undefined : Number(rule.parse(first)) - Number(rule.parse(second));
}

function checkHostName(text: string): void {
  if (text === '') throw new ValueError('it is empty');
  if (isHostName(text)) return;
  const withoutPort = /^(.*):\d+$/.exec(text)?.[1];
  if (withoutPort !== undefined && isHostName(withoutPort)) throw new ValueError('it has a port', withoutPort);
  throw new ValueError('it is not a host name');
}

function checkPath(text: string): void {
  if (text === '') throw new ValueError('it is empty');
  if (text.includes('\0')) throw new ValueError('it contains the character U+0000');
}
