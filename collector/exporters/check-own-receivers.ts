import { areSettingsOf } from '../../config/component-settings.js';
import { parseEndpoint } from '../../config/endpoint.js';
import type { FoundFault } from '../../config/place-faults.js';
import type { Settings } from '../../generated/settings.js';
import { isLoopbackHost } from '../http/loopback.js';

/** What reaches this machine when it is called; as an endpoint, every address of it. */
const UNSPECIFIED: readonly string[] = ['', '0.0.0.0', '::'];

/** Running exporters `otlp_http` that would send to a receiver `otlp` of this same collector, which would give them everything back. */
export function checkOwnReceivers(settings: Settings): FoundFault[] {
  const { exporters, service } = settings;
  const running = new Set(Object.values(service.pipelines).flatMap((pipeline) => pipeline.exporters));
  const receivers = httpReceivers(settings);
  return Object.entries(exporters).flatMap(([id, exporter]) => {
    if (!running.has(id) || !areSettingsOf('otlp_http', id, exporter)) return [];
    const key = exporter.logs_endpoint === undefined ? 'endpoint' : 'logs_endpoint';
    const url = new URL(exporter[key] ?? exporter.endpoint);
    const receiver = receivers.find(({ endpoint }) => isReaching(url, endpoint));
    if (receiver === undefined) return [];
    const message = `leads to the receiver ${receiver.id} of this collector itself, and its events would come back to it for ever: name another collector`;
    return [{ path: ['exporters', id, key], message }];
  });
}

function httpReceivers({ receivers, service }: Settings): { readonly id: string; readonly endpoint: string }[] {
  const running = new Set(Object.values(service.pipelines).flatMap((pipeline) => pipeline.receivers));
  return Object.entries(receivers).flatMap(([id, receiver]) => {
    if (!running.has(id) || !areSettingsOf('otlp', id, receiver)) return [];
    const endpoint = receiver.protocols.http?.endpoint;
    return endpoint === undefined ? [] : [{ id, endpoint }];
  });
}

function isReaching(url: URL, endpoint: string): boolean {
  const { host, port } = parseEndpoint(endpoint);
  if (port === 0 || port !== portOf(url)) return false;
  const called = url.hostname.replace(/^\[|\]$/g, '');
  const isHere = isLoopbackHost(called) || UNSPECIFIED.includes(called);
  const isListeningHere = isLoopbackHost(host) || UNSPECIFIED.includes(host);
  return (isHere && isListeningHere) || called === host.toLowerCase();
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}
