import type { Endpoint } from '../../../config/values/endpoint.js';

const EVERY_ADDRESS: readonly string[] = ['', '0.0.0.0', '::'];

/** The addresses to bind: `localhost` is both loopback addresses, because resolvers differ in their order; undefined is every address. */
export function bindAddresses({ host }: Endpoint): readonly (string | undefined)[] {
  if (host.toLowerCase() === 'localhost') return ['127.0.0.1', '::1'];
  return [host === '' ? undefined : host];
}

/** The URL for clients on this machine: an endpoint on every interface is `localhost`. `scheme` defaults to `http`. */
export function endpointUrl({ host, port }: Endpoint, scheme = 'http'): string {
  if (EVERY_ADDRESS.includes(host)) return `${scheme}://localhost:${port}`;
  return `${scheme}://${endpointText({ host, port })}`;
}

/** The endpoint in the form of the configuration. */
export function endpointText({ host, port }: Endpoint): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
