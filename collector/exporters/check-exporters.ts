import { resolve } from 'node:path';
import type { FoundFault } from '../../config/check/place-faults.js';
import { areSettingsOf } from '../../config/component-settings.js';
import { parseComponentId } from '../../config/values/component-id.js';
import { parseEndpoint } from '../../config/values/endpoint.js';
import type { ExportersSettings, PipelineSettings, PipelinesSettings, Settings } from '../../generated/settings.js';
import { isLoopbackHost } from '../http/messages/request-guard.js';
import { checkWebhooks } from './webhook/check-webhooks.js';

/** What is wrong in the settings of exporters beyond the schema, also of those that no pipeline names. */
export function checkExporters(exporters: ExportersSettings): FoundFault[] {
  return [...checkClientTls(exporters), ...checkWebhooks(exporters)];
}

/**
 * What is wrong with exporters beside others: those that send take their events from a store, and from all that is in it, and send them to nobody
 * who gives them back; stores keep apart.
 */
export function checkExportersTogether(settings: Settings): FoundFault[] {
  return [...checkPipelines(settings.service.pipelines), ...checkStores(settings), ...checkOwnReceivers(settings)];
}

function checkPipelines(pipelines: PipelinesSettings): FoundFault[] {
  return Object.entries(pipelines).flatMap(([name, pipeline]) => {
    const sending = pipeline.exporters.filter((id) => !isStore(id));
    const found = sending.length === 0 ? undefined : wrongWith(name, pipeline, pipelines);
    return found === undefined ? [] : [{ path: ['service', 'pipelines', name, 'exporters'], message: found }];
  });
}

function wrongWith(
  name: string,
  pipeline: PipelineSettings,
  pipelines: Readonly<Record<string, PipelineSettings>>,
): string | undefined {
  const sending = pipeline.exporters.filter((id) => !isStore(id));
  const stores = pipeline.exporters.filter(isStore);
  const [store] = stores;
  if (store === undefined) {
    return `${sending.join(' and ')} can only send what a store keeps: add the exporter store to this pipeline`;
  }
  if (stores.length > 1) {
    return `${sending.join(' and ')} cannot tell which of ${stores.join(' and ')} to follow: keep one store in this pipeline`;
  }
  for (const [other, { exporters }] of Object.entries(pipelines)) {
    if (other === name || !exporters.includes(store)) continue;
    const missing = sending.find((id) => !exporters.includes(id));
    if (missing === undefined) continue;
    return `${missing} would also send what pipeline ${other} stores in ${store}, which never came through this pipeline: add ${missing} to pipeline ${other}, or give one of them another store`;
  }
  return firstSharedOf(name, sending, store, pipelines);
}

/** An exporter follows one store. */
function firstSharedOf(
  name: string,
  sending: readonly string[],
  store: string,
  pipelines: Readonly<Record<string, PipelineSettings>>,
): string | undefined {
  for (const [other, { exporters }] of Object.entries(pipelines)) {
    if (other === name) continue;
    const shared = sending.find((id) => exporters.includes(id));
    const otherStore = exporters.find(isStore);
    if (shared === undefined || otherStore === undefined || otherStore === store) continue;
    return `${shared} follows one store, and is in pipeline ${other} with ${otherStore} and here with ${store}: configure a second one, for example ${parseComponentId(shared).type}/${other}`;
  }
  return undefined;
}

function isStore(id: string): boolean {
  return parseComponentId(id).type === 'store';
}

/** Certificates without their private key, and keys without their certificate, of everything that calls others. */
function checkClientTls(exporters: ExportersSettings): FoundFault[] {
  return Object.entries(exporters).flatMap(([id, settings]) => {
    if (!areSettingsOf('otlp_http', id, settings) && !areSettingsOf('webhook', id, settings)) return [];
    const { cert_file: certFile, key_file: keyFile } = settings.tls;
    if ((certFile === undefined) === (keyFile === undefined)) return [];
    const [given, missing] = certFile === undefined ? ['key_file', 'cert_file'] : ['cert_file', 'key_file'];
    return [{ path: ['exporters', id, 'tls', given], message: `stands without ${missing}: give both, or none` }];
  });
}

/** Stores of the running line that name the folder of another one, however it is written: a folder has one writer. */
function checkStores({ exporters, service }: Pick<Settings, 'exporters' | 'service'>): FoundFault[] {
  const running = new Set(Object.values(service.pipelines).flatMap((pipeline) => pipeline.exporters));
  const ownerOf = new Map<string, string>();
  return Object.entries(exporters).flatMap(([id, settings]) => {
    if (!running.has(id) || !areSettingsOf('store', id, settings)) return [];
    const folder = resolve(settings.directory);
    const owner = ownerOf.get(folder);
    if (owner === undefined) {
      ownerOf.set(folder, id);
      return [];
    }
    const message = `names the same folder as exporters.${owner}: give each store its own`;
    return [{ path: ['exporters', id, 'directory'], message }];
  });
}

/** What reaches this machine when it is called; as an endpoint, every address of it. */
const UNSPECIFIED: readonly string[] = ['', '0.0.0.0', '::'];

/** Running exporters `otlp_http` that would send to a receiver `otlp` of this same collector, which would give them everything back. */
function checkOwnReceivers(settings: Settings): FoundFault[] {
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
