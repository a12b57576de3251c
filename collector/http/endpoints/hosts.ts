const LOOPBACK = /^(?:localhost|(?:::ffff:)?127(?:\.(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])){3}|::1)$/;
const HOST_AND_PORT = /^(?:\[([0-9a-f:.]{2,45})\]|([^:[\]]{1,253}))(?::[0-9]{0,5})?$/;

/** Whether a host name or address without brackets, in any case, is loopback. Other names are not resolved, because their address may change. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host.toLowerCase());
}

/** The host name or address in a `Host` header, in lower case, without brackets and port; undefined without a valid one. */
export function nameOfHost(header: string | undefined): string | undefined {
  const [, address, name] = HOST_AND_PORT.exec(header?.toLowerCase() ?? '') ?? [];
  return address ?? name;
}

/** Whether `Host` is a loopback name, the endpoint's host or an allowed one, which stops DNS rebinding. Only HTTP/1.0 omits the header. */
export function isHostAllowed(header: string | undefined, ownHost: string, allowedHosts: readonly string[]): boolean {
  if (header === undefined) return true;
  const host = nameOfHost(header);
  if (host === undefined) return false;
  return isLoopbackHost(host) || host === bare(ownHost) || allowedHosts.some((allowed) => bare(allowed) === host);
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '').toLowerCase();
}
