import { Fault } from '../event/fault.js';

/** Parses the address of a collector. Throws a Fault `URL_INVALID`. */
export function parseCollectorUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed;
  throw new Fault('URL_INVALID', `"${url}" is not an http or https address; write it like http://localhost:4319.`);
}

/** The name of a collector: the host and path of its address, without credentials. */
export function collectorName(url: string): string {
  const { host, pathname } = parseCollectorUrl(url);
  return host + pathname.replace(/\/+$/, '');
}
