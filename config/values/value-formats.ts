import { parseDuration } from './duration.js';
import { isHostName, parseEndpoint } from './endpoint.js';
import { parsePartitions } from './partitions.js';
import { parseSize } from './size.js';
import { ValueError } from './value-error.js';

/** Scheme, host and port of RFC 6454, where `*` matches one part of the host, or the port. */
const ORIGIN_PATTERN = /^([a-z][a-z0-9+.-]{0,30}):\/\/([^/?#@\s]{1,260})$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const URL_PATH = /^(?:\/[\w.~!$&'()*+,;=:@%-]{1,200}){1,20}\/?$/;

/** Throws a ValueError if the text is neither `*` nor an origin such as `https://*.example.com:8443`. */
function checkOriginPattern(text: string): void {
  if (text === '') throw new ValueError('it is empty');
  if (text === '*' || text === 'null' || ORIGIN_PATTERN.test(text)) return;
  const trimmed = /^(https?:\/\/[^/]+)\//.exec(text)?.[1];
  if (trimmed !== undefined) throw new ValueError('an origin must not have a path', trimmed);
  if (!text.includes('://')) throw new ValueError('the scheme is missing', `https://${text}`);
  throw new ValueError('it is not an origin');
}

function checkHeaderName(text: string): void {
  if (!HEADER_NAME.test(text)) throw new ValueError('it is not a header name');
}

function checkUrlPath(text: string): void {
  if (text === '/' || URL_PATH.test(text)) return;
  throw text.startsWith('/') || text === ''
    ? new ValueError('it is not a URL path')
    : new ValueError('it does not begin with /', `/${text}`);
}

/** Like `checkUrlPath`, but allows an empty text and not a trailing slash. */
function checkPathPrefix(text: string): void {
  if (text === '') return;
  if (text.endsWith('/')) throw new ValueError('it ends with /', text.replace(/\/+$/, ''));
  checkUrlPath(text);
}

/** Throws a ValueError if the text is not an absolute HTTP or HTTPS URL, or has credentials or a fragment. */
function checkHttpUrl(text: string): void {
  if (text === '') throw new ValueError('it is empty');
  if (!/^https?:\/\//i.test(text)) throw new ValueError('the scheme is missing', `https://${text}`);
  if (!URL.canParse(text)) throw new ValueError('it is not a URL');
  const { username, password, hash } = new URL(text);
  if (username !== '' || password !== '') throw new ValueError('it contains credentials; use headers instead');
  if (hash !== '') throw new ValueError('it has a fragment');
}

function checkNatsUrl(text: string): void {
  const rest = text.replace(/^(?:nats|tls):\/\//, '');
  if (rest.includes('@')) throw new ValueError('it contains credentials; use token or credentials instead');
  if (rest === text) throw new ValueError('the scheme is missing', `nats://${text}`);
  const { host } = parseEndpoint(/:\d+$/.test(rest) ? rest : `${rest}:4222`);
  if (host === '') throw new ValueError('the host is missing');
}

/** A `format` of schema.json. */
interface ValueFormat {
  /** Follows "expected" in messages. */
  expected: string;
  /** Throws a ValueError if the text is invalid. Returns a number if the format has `formatMinimum` or `formatMaximum`. */
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
  ['header-name', { expected: 'a header name such as x-request-id', parse: checkHeaderName }],
  ['url-path', { expected: 'a path such as /v1/logs', parse: checkUrlPath }],
  ['path-prefix', { expected: 'a path such as /errors without a trailing slash', parse: checkPathPrefix }],
  ['nats-url', { expected: 'an address such as nats://nats-0:4222', parse: checkNatsUrl }],
  ['partitions', { expected: 'all, numbers and ranges such as 0-7,12, or ordinal/2', parse: parsePartitions }],
  ['http-url', { expected: 'a URL such as https://otel.example.com:4318', parse: checkHttpUrl }],
]);

/** The formats in the form of the generated check. */
export const FORMAT_CHECKS: Readonly<Record<string, { validate(text: string): boolean }>> = Object.fromEntries(
  [...VALUE_FORMATS.keys()].map((name) => [name, { validate: (text) => faultOfFormat(name, text) === undefined }]),
);

/** The error of a text in a format; undefined if it is valid or the format is unknown. */
export function faultOfFormat(format: string, text: string): ValueError | undefined {
  try {
    VALUE_FORMATS.get(format)?.parse(text);
    return undefined;
  } catch (error) {
    if (error instanceof ValueError) return error;
    throw error;
  }
}

/** Negative if the first text is less than the second in the format; undefined if one is invalid. */
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
