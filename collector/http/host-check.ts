import { isLoopbackHost } from './loopback.js';

const HOST_AND_PORT = /^(?:\[([0-9a-f:.]{2,45})\]|([^:[\]]{1,253}))(?::[0-9]{0,5})?$/;

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
