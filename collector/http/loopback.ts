const LOOPBACK = /^(?:localhost|(?:::ffff:)?127(?:\.(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])){3}|::1)$/;

/** Whether a host name or address without brackets, in any case, is this machine alone. Other names are not looked up: what they mean may change. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host.toLowerCase());
}
