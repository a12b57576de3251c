import { isIPv6 } from 'node:net';
import type { Endpoint } from '../../../config/values/endpoint.js';

const EVERY_ADDRESS: readonly string[] = ['', '0.0.0.0', '::'];

/** The addresses to bind: `localhost` is both loopbacks, because resolvers differ in which of the two they name first; undefined is every one. */
export function bindAddresses({ host }: Endpoint): readonly (string | undefined)[] {
  if (host.toLowerCase() === 'localhost') return ['127.0.0.1', '::1'];
  return [host === '' ? undefined : host];
}

/** The address for people on this machine: an endpoint on every network interface is reached as `localhost`. `scheme` is `http` unless told. */
export function endpointUrl({ host, port }: Endpoint, scheme = 'http'): string {
  if (EVERY_ADDRESS.includes(host)) return `${scheme}://localhost:${port}`;
  return `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** The endpoint as an operator writes it. */
export function endpointText({ host, port }: Endpoint): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
