import { isIPv4 } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { SettingsFault } from '../../../config/check/locate-faults.js';
import { type Endpoint, parseEndpoint } from '../../../config/values/endpoint.js';
import { dottedKey } from '../../../config/yaml/config-node.js';
import type { Settings } from '../../../generated/settings.js';
import { bindAddresses, endpointText } from './addresses.js';
import { isLoopbackHost } from './hosts.js';
import { type ListedPath, type ListeningSetting, listeningSettings } from './listening-settings.js';
import { areClashing } from './served-path.js';

const EVERY_IPV4 = '0.0.0.0';

/** Reports endpoints that other machines could use without authentication. */
export function checkEndpoints(settings: Settings): SettingsFault[] {
  return listeningSettings(settings).flatMap(checkExposure);
}

/** Reports conflicts between endpoints: ports and paths that are used twice, and different connection settings on one endpoint. */
export function checkEndpointsTogether(settings: Settings): SettingsFault[] {
  const listening = listeningSettings(settings);
  return [...checkSharing(listening), ...checkAgreement(listening)];
}

function checkExposure({ path, endpoint, access }: ListeningSetting): SettingsFault[] {
  if (access === undefined || isLoopbackHost(parseEndpoint(endpoint).host)) return [];
  const { settings, danger, hasOwnSecrets } = access;
  const { auth, tls, allow_without_token: allowWithoutToken } = settings;
  const isGuarded = auth.authenticator !== undefined || hasOwnSecrets || tls?.client_ca_file !== undefined;
  if (isGuarded || allowWithoutToken) return [];
  const message = `other machines reach ${endpoint}, and anybody there ${danger}: name an extension bearertokenauth in auth.authenticator, or set allow_without_token: true if that is intended`;
  return [{ path, message }];
}

/** Reports each endpoint whose settings differ from the first component's. */
function checkAgreement(listening: readonly ListeningSetting[]): SettingsFault[] {
  const firsts = new Map<string, ListeningSetting>();
  return listening.flatMap((one) => {
    if (one.transport === undefined) return [];
    const key = serverOf(one);
    const first = firsts.get(key) ?? one;
    const connections = first.transport?.connections ?? one.transport.connections;
    firsts.set(key, { ...first, transport: { ...first.transport, ...(connections && { connections }) } });
    return [
      ...(isDeepStrictEqual(one.transport.tls, first.transport?.tls) ? [] : [differs(one, 'tls', first)]),
      ...(isDeepStrictEqual(one.transport.connections ?? connections, connections)
        ? []
        : [differs(one, 'connections', first)]),
    ];
  });
}

function differs(one: ListeningSetting, setting: 'tls' | 'connections', first: ListeningSetting): SettingsFault {
  const message = `${one.component} shares the endpoint ${serverOf(one)} with ${first.component}, and their ${setting} differ: write the same, or give one of them another endpoint`;
  return { path: [...one.path.slice(0, -1), setting], message };
}

/** Reports settings that use one port without sharing a server, for which endpoints must be equal texts, and routes that are served twice. */
function checkSharing(listening: readonly ListeningSetting[]): SettingsFault[] {
  return listening.flatMap((endpoint, at) => {
    const earlier = listening.slice(0, at);
    const rival = earlier.find((other) => !isShared(endpoint, other) && areOnOnePort(endpoint, other));
    const servedBefore = earlier.flatMap((other) => (isShared(endpoint, other) ? servedOf(other) : []));
    const clashes = clashesOf(endpoint, servedBefore);
    const taken = clashes.filter((one, index) => clashes.findIndex((other) => isDeepStrictEqual(one, other)) === index);
    return [...(rival === undefined ? [] : [portTaken(endpoint, rival)]), ...taken];
  });
}

interface Taken extends ListedPath {
  readonly component: string;
}

function servedOf({ component, served = [] }: ListeningSetting): Taken[] {
  return served.map((one) => ({ ...one, component }));
}

function clashesOf(endpoint: ListeningSetting, servedBefore: readonly Taken[]): SettingsFault[] {
  const served = servedOf(endpoint);
  return served.flatMap((one, at) => {
    const taken = [...servedBefore, ...served.slice(0, at)].find((other) => areClashing(one, other));
    if (taken === undefined) return [];
    const where = endpointText(parseEndpoint(endpoint.endpoint));
    const other = `${taken.component} (${dottedKey(taken.setting)})`;
    const message = `serves ${one.text} on ${where}, and so does ${other}: give one of them another path or endpoint`;
    return [{ path: one.setting, message }];
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

function shortest(address: string): string {
  return address.includes(':') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address.toLowerCase();
}

/** Whether both addresses cannot be bound at once; names are not resolved. */
function areBothUnbindable(one: string, other: string): boolean {
  // A socket on `::` accepts IPv4 too.
  if (one === other || one === '::' || other === '::') return true;
  return (one === EVERY_IPV4 && isIPv4(other)) || (other === EVERY_IPV4 && isIPv4(one));
}
