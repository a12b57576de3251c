import { isIPv6 } from 'node:net';

/** The /64 network of an IPv6 address, which usually belongs to one subscriber. */
const NETWORK_GROUPS = 4;
const MAPPED = '::ffff:';

/**
 * The key by which clients are counted: the IPv4 address, or the first 64 bits of the IPv6 address. Undefined if the connection is already closed.
 */
export function clientKey(remoteAddress: string | undefined): string | undefined {
  if (remoteAddress === undefined) return undefined;
  if (remoteAddress.startsWith(MAPPED)) return remoteAddress.slice(MAPPED.length);
  if (!isIPv6(remoteAddress)) return remoteAddress;
  const [head = '', tail] = (remoteAddress.split('%', 1)[0] ?? '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...new Array<string>(Math.max(0, missing)).fill('0'), ...after];
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}
