import { isIPv6 } from 'node:net';
import { ValueError } from './value-error.js';

/** An address to listen on. */
export interface Endpoint {
  /** Name or address without brackets; empty means all network interfaces. */
  host: string;
  /** 0 to 65535; 0 means a free port. */
  port: number;
}

const MAX_TEXT_LENGTH = 300;
const ENDPOINT = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/;
const HOST_NAME = /^[0-9A-Za-z_](?:[0-9A-Za-z_.-]*[0-9A-Za-z_])?\.?$/;
/** RFC 1035, 2.3.4. */
const MAX_HOST_NAME_LENGTH = 253;

/** Parses `host:port`, `:port` or `[::1]:port`; throws a ValueError for any other text. */
export function parseEndpoint(text: string): Endpoint {
  if (text === '') throw new ValueError('it is empty');
  if (text.length > MAX_TEXT_LENGTH) throw new ValueError(`it is longer than ${MAX_TEXT_LENGTH} characters`);
  const match = ENDPOINT.exec(text);
  if (match === null) throw malformed(text);
  const [, bracketed, plain = '', digits = ''] = match;
  const port = Number(digits);
  if (port > 65_535) throw new ValueError(`port ${digits} is larger than 65535`);
  if (bracketed !== undefined && !isIPv6(bracketed))
    throw new ValueError('the text in brackets is not an IPv6 address');
  if (bracketed === undefined && plain !== '' && !isHostName(plain))
    throw new ValueError('the host is not a name or address');
  return { host: bracketed ?? plain, port };
}

/** Whether the text is a host without port: a DNS name, an IPv4 address, or an IPv6 address with or without brackets. */
export function isHostName(text: string): boolean {
  if (text.includes(':')) return isIPv6(text.replace(/^\[(.*)\]$/, '$1'));
  return text.length <= MAX_HOST_NAME_LENGTH && HOST_NAME.test(text) && !text.includes('..');
}

function malformed(text: string): ValueError {
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]{0,20}:\/\//.exec(text);
  if (scheme !== null) {
    const rest = text.slice(scheme[0].length).replace(/\/$/, '');
    return new ValueError('an endpoint must not have a scheme', ENDPOINT.test(rest) ? rest : undefined);
  }
  if (isIPv6(text)) return new ValueError('an IPv6 address needs brackets and a port', `[${text}]:4318`);
  if (/^\d{1,5}$/.test(text)) return new ValueError('the host is missing', `localhost:${text}`);
  if (isHostName(text)) return new ValueError('the port is missing', `${text}:4318`);
  if (/:$/.test(text)) return new ValueError('the port is empty');
  return new ValueError('it is not a host and a port');
}
