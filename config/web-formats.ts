import { ValueError } from './value-error.js';

/** Scheme, host and port of RFC 6454, where `*` stands for one part of the host, or for the port. */
const ORIGIN_PATTERN = /^([a-z][a-z0-9+.-]{0,30}):\/\/([^/?#@\s]{1,260})$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const URL_PATH = /^(?:\/[\w.~!$&'()*+,;=:@%-]{1,200}){1,20}\/?$/;

/** Throws a ValueError when the text is neither `*` nor an origin such as `https://*.example.com:8443`. */
export function checkOriginPattern(text: string): void {
  if (text === '') throw new ValueError('it is empty');
  if (text === '*' || text === 'null' || ORIGIN_PATTERN.test(text)) return;
  const trimmed = /^(https?:\/\/[^/]+)\//.exec(text)?.[1];
  if (trimmed !== undefined) throw new ValueError('an origin has no path', trimmed);
  if (!text.includes('://')) throw new ValueError('the scheme is missing', `https://${text}`);
  throw new ValueError('it is no origin');
}

/** Throws a ValueError when the text is no name of an HTTP header. */
export function checkHeaderName(text: string): void {
  if (!HEADER_NAME.test(text)) throw new ValueError('it is no name of a header');
}

/** Throws a ValueError when the text is no path of a URL that begins with `/`. */
export function checkUrlPath(text: string): void {
  if (text === '/' || URL_PATH.test(text)) return;
  throw text.startsWith('/') || text === ''
    ? new ValueError('it is no path of a URL')
    : new ValueError('it does not begin with /', `/${text}`);
}

/** As `checkUrlPath`; empty is allowed, a slash at the end is not. */
export function checkPathPrefix(text: string): void {
  if (text === '') return;
  if (text.endsWith('/')) throw new ValueError('it ends with /', text.replace(/\/+$/, ''));
  checkUrlPath(text);
}

/** Throws a ValueError when the text is no absolute address of HTTP or HTTPS, or carries a user, a password or a fragment. */
export function checkHttpUrl(text: string): void {
  if (text === '') throw new ValueError('it is empty');
  if (!/^https?:\/\//i.test(text)) throw new ValueError('the scheme is missing', `https://${text}`);
  if (!URL.canParse(text)) throw new ValueError('it is no address');
  const { username, password, hash } = new URL(text);
  if (username !== '' || password !== '') throw new ValueError('it carries a user: put credentials into headers');
  if (hash !== '') throw new ValueError('it has a fragment');
}
