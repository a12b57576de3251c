import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Fault } from '../../../core/event/fault.js';

type ResolveAll = (
  hostname: string,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Resolves a host and checks the very addresses that are connected to. Fault `ADDRESS_REFUSED` if any is not public. */
export function publicLookup(
  resolveAll: ResolveAll = (hostname, done) => lookup(hostname, { all: true }, done),
): LookupFunction {
  return (hostname, { all, family }, done) => {
    resolveAll(hostname, (error, found) => {
      if (error !== null) return done(error, []);
      const refused = found.find(({ address }) => !isPublicAddress(address));
      if (refused !== undefined) return done(addressRefused(hostname, refused.address), []);
      const wanted = found.filter((one) => (family !== 4 && family !== 6) || one.family === family);
      const [first] = wanted;
      if (first === undefined) return done(new Fault('ADDRESS_REFUSED', `${hostname} has no address`), []);
      if (all === true) done(null, wanted);
      else done(null, first.address, first.family);
    });
  };
}

/** The fault of an endpoint with a private address literal, which is never resolved; undefined if allowed. */
export function refusedLiteral({ hostname }: URL): Fault | undefined {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 || isPublicAddress(address) ? undefined : addressRefused(hostname, address);
}

function addressRefused(host: string, address: string): Fault {
  const leads = host.includes(address) ? `${host} is` : `${host} leads to ${address},`;
  return new Fault(
    'ADDRESS_REFUSED',
    `${leads} not a public address, and is not called. If it is meant, set allow_private_addresses: true.`,
  );
}

type Range = readonly [address: string, prefix: number];

/** What of IPv4 is not the public internet: RFC 6890 and its successors, multicast and reserved. */
const PRIVATE_V4: readonly Range[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Of IPv6 these alone may be public: global unicast, and the forms that carry an address of IPv4. */
const PUBLIC_V6: readonly Range[] = [
  ['2000::', 3],
  ['64:ff9b::', 96],
  ['::ffff:0:0', 96],
];

/** And of these not: Teredo and its neighbours, documentation, segment routing. */
const PRIVATE_V6: readonly Range[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
];

/** Made for the first address: most collectors call none. */
let lists: { readonly isPrivate: BlockList; readonly isPublic: BlockList } | undefined;

/** Whether an address is on the public internet; false for text that is not an address. */
export function isPublicAddress(text: string): boolean {
  const address = text.replace(/%.*$/, '');
  lists ??= { isPrivate: privateList(), isPublic: listOfV6(PUBLIC_V6) };
  const { isPrivate, isPublic } = lists;
  switch (isIP(address)) {
    case 4:
      return !isPrivate.check(address, 'ipv4');
    case 6:
      return isPublic.check(address, 'ipv6') && !isPrivate.check(address, 'ipv6');
    default:
      return false;
  }
}

/** IPv4 also as it is carried: mapped (`::ffff:…`), by NAT64 (`64:ff9b::…`) and by 6to4 (`2002:…`). */
function privateList(): BlockList {
  const list = listOfV6(PRIVATE_V6);
  for (const [address, prefix] of PRIVATE_V4) {
    list.addSubnet(address, prefix, 'ipv4');
    list.addSubnet(`::ffff:${address}`, 96 + prefix, 'ipv6');
    list.addSubnet(`64:ff9b::${address}`, 96 + prefix, 'ipv6');
    list.addSubnet(`2002:${hexOf(address)}::`, 16 + prefix, 'ipv6');
  }
  return list;
}

function listOfV6(ranges: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, 'ipv6');
  return list;
}

function hexOf(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}
