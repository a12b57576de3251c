import { isIPv6 } from 'node:net';

/** The first four groups of an IPv6 address are a network, which one subscriber usually has as a whole. */
const NETWORK_GROUPS = 4;
const MAPPED = '::ffff:';

/**
 * By what a client is counted: its IPv4 address, or the first 64 bits of its IPv6 address, within which it may choose freely. Undefined where the
 * connection is gone already.
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
