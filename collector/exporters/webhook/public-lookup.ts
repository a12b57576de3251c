import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Fault } from '../../../core/event/fault.js';
import { isPublicAddress } from './public-address.js';

/** Finds all addresses of a name. */
export type ResolveAll = (
  hostname: string,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Finds the addresses that are connected to, and judges all of them: between the look and the connection nobody can change them. A name with one that is not
 * public fails with Fault `ADDRESS_REFUSED`. `resolveAll` is what asks, default the system.
 */
export function publicLookup(
  resolveAll: ResolveAll = (hostname, done) => lookup(hostname, { all: true }, done),
): LookupFunction {
  return (hostname, { all, family }, done) => {
    resolveAll(hostname, (error, found) => {
      if (error !== null) return done(error, []);
      const refused = found.find(({ address }) => !isPublicAddress(address));
      if (refused !== undefined) return done(addressRefused(hostname, refused.address), []);
      const wanted = found.filter((one) => !isFamily(family) || one.family === family);
      const [first] = wanted;
      if (first === undefined) return done(new Fault('ADDRESS_REFUSED', `${hostname} has no address`), []);
      if (all === true) done(null, wanted);
      else done(null, first.address, first.family);
    });
  };
}

/** The fault of an endpoint that is written as an address, which is never looked up; undefined where it may be called. */
export function refusedLiteral({ hostname }: URL): Fault | undefined {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 || isPublicAddress(address) ? undefined : addressRefused(hostname, address);
}

function addressRefused(host: string, address: string): Fault {
  const leads = host.includes(address) ? `${host} is` : `${host} leads to ${address},`;
  return new Fault(
    'ADDRESS_REFUSED',
    `${leads} no public address, and is not called. If it is meant, set allow_private_addresses: true.`,
  );
}

function isFamily(family: unknown): family is 4 | 6 {
  return family === 4 || family === 6;
}
