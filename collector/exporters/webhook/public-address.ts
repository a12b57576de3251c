import { BlockList, isIP } from 'node:net';

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

const PRIVATE = blockList();
const PUBLIC = new BlockList();
for (const [address, prefix] of PUBLIC_V6) PUBLIC.addSubnet(address, prefix, 'ipv6');

/** Whether an address is one of the public internet; false for what is no address. */
export function isPublicAddress(text: string): boolean {
  const address = text.replace(/%.*$/, '');
  switch (isIP(address)) {
    case 4:
      return !PRIVATE.check(address, 'ipv4');
    case 6:
      return PUBLIC.check(address, 'ipv6') && !PRIVATE.check(address, 'ipv6');
    default:
      return false;
  }
}

/** IPv4 also as it is carried: mapped (`::ffff:…`), by NAT64 (`64:ff9b::…`) and by 6to4 (`2002:…`). */
function blockList(): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of PRIVATE_V4) {
    list.addSubnet(address, prefix, 'ipv4');
    list.addSubnet(`::ffff:${address}`, 96 + prefix, 'ipv6');
    list.addSubnet(`64:ff9b::${address}`, 96 + prefix, 'ipv6');
    list.addSubnet(`2002:${hexOf(address)}::`, 16 + prefix, 'ipv6');
  }
  for (const [address, prefix] of PRIVATE_V6) list.addSubnet(address, prefix, 'ipv6');
  return list;
}

function hexOf(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}
