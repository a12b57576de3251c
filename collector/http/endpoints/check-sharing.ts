import { isIPv4, isIPv6 } from 'node:net';
import type { SettingsFault } from '../../../config/check/locate-faults.js';
import { type Endpoint, parseEndpoint } from '../../../config/values/endpoint.js';
import { dottedKey } from '../../../config/yaml/key-path.js';
import type { Settings } from '../../../generated/settings.js';
import { bindAddresses, endpointText } from './addresses.js';
import { type ListeningSetting, listeningSettings, type ServedPath } from './listening-settings.js';
import { areClashing } from './route-claim.js';

const EVERY_IPV4 = '0.0.0.0';

/**
 * Reports settings that use one port without sharing a server, and routes that are served twice on one. HTTP components with the same endpoint text
 * share a server.
 */
export function checkSharing(settings: Settings): SettingsFault[] {
  const listening = listeningSettings(settings);
  return listening.flatMap((one, at) => {
    const earlier = listening.slice(0, at);
    const rival = earlier.find((other) => !isShared(one, other) && areOnOnePort(one, other));
    const known = earlier.flatMap((other) => (isShared(one, other) ? servedOf(other) : []));
    return [...(rival === undefined ? [] : [portTaken(one, rival)]), ...clashesOf(one, known)];
  });
}

interface Taken extends ServedPath {
  readonly component: string;
}

function servedOf({ component, served = [] }: ListeningSetting): Taken[] {
  return served.map((one) => ({ ...one, component }));
}

function clashesOf(one: ListeningSetting, known: readonly Taken[]): SettingsFault[] {
  const own = servedOf(one);
  return own.flatMap(({ claim, text, setting }, at) => {
    const taken = [...known, ...own.slice(0, at)].find((other) => areClashing(claim, other.claim));
    if (taken === undefined) return [];
    const where = endpointText(parseEndpoint(one.endpoint));
    const other = `${taken.component} (${dottedKey(taken.setting)})`;
    const message = `serves ${text} on ${where}, and so does ${other}: give one of them another path or endpoint`;
    return [{ path: setting, message }];
  });
}

function portTaken(one: ListeningSetting, rival: ListeningSetting): SettingsFault {
  const { port } = parseEndpoint(one.endpoint);
  const isSpelling = one.served !== undefined && rival.served !== undefined;
  const mend = isSpelling
    ? 'write both the same way, so that they share a server, or take another port'
    : 'take another port';
  const message = `wants port ${port}, which ${dottedKey(rival.path)} has with ${rival.endpoint}: ${mend}`;
  return { path: one.path, message };
}

function isShared(one: ListeningSetting, other: ListeningSetting): boolean {
  return one.served !== undefined && other.served !== undefined && serverOf(one) === serverOf(other);
}

function serverOf({ endpoint }: ListeningSetting): string {
  return endpointText(parseEndpoint(endpoint)).toLowerCase();
}

function areOnOnePort(one: ListeningSetting, other: ListeningSetting): boolean {
  const [first, second] = [parseEndpoint(one.endpoint), parseEndpoint(other.endpoint)];
  // Port 0 is a different free port for each.
  if (first.port === 0 || first.port !== second.port) return false;
  const [addresses, others] = [addressesOf(first), addressesOf(second)];
  return addresses.some((address) => others.some((another) => areBothUnbindable(address, another)));
}

function addressesOf(endpoint: Endpoint): string[] {
  return bindAddresses(endpoint).map((address) => shortest(address ?? '::'));
}

/** The canonical form of an address. */
function shortest(address: string): string {
  return isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address.toLowerCase();
}

/** Whether both addresses cannot be bound at once; names are not resolved. */
function areBothUnbindable(one: string, other: string): boolean {
  // A socket on `::` accepts IPv4 too.
  if (one === other || one === '::' || other === '::') return true;
  return (one === EVERY_IPV4 && isIPv4(other)) || (other === EVERY_IPV4 && isIPv4(one));
}
