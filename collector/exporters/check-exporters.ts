import { resolve } from 'node:path';
import type { SettingsFault } from '../../config/check/locate-faults.js';
import { hasSettingsType } from '../../config/component-settings.js';
import { parseComponentId } from '../../config/values/component-id.js';
import { parseEndpoint } from '../../config/values/endpoint.js';
import { parseQuery } from '../../core/query/parse-query.js';
import { problemOfQuery } from '../../core/query/query-fault.js';
import type {
  PipelineSettings,
  PipelinesSettings,
  Settings,
  TlsClientSettings,
  WebhookExporterSettings,
} from '../../generated/settings.js';
import { isLoopbackHost } from '../http/endpoints/hosts.js';
import { listeningSettings } from '../http/endpoints/listening-settings.js';
import { signingKey } from './webhook/deliver-call.js';
import { refusedLiteral } from './webhook/public-address.js';

const SILENT = 'is empty, so the webhook would report nothing: name new, regressed or spiking';
const MIN_KEY_BYTES = 16;
const WEAK = `has a key of less than ${MIN_KEY_BYTES} bytes: after whsec_ write at least 24 characters of base64, or use any other text`;

/** Returns errors in webhook settings: empty `on`, invalid query, private address, weak secret. */
export function checkWebhook(settings: WebhookExporterSettings): SettingsFault[] {
  const { on, query, endpoint, allow_private_addresses: isAnyAllowed, signing_secret: secret } = settings;
  const messages = {
    on: on.length === 0 ? SILENT : undefined,
    query: problemOfQuery(() => parseQuery(query ?? '', 'issues')),
    endpoint: isAnyAllowed ? undefined : refusedLiteral(new URL(endpoint))?.message,
    signing_secret: secret !== undefined && signingKey(secret).length < MIN_KEY_BYTES ? WEAK : undefined,
  };
  return Object.entries(messages).flatMap(([key, message]) =>
    message === undefined ? [] : [{ path: [key], message }],
  );
}

/** Returns a TLS client certificate without a private key, or a key without a certificate. */
export function checkClientTls({ tls }: { readonly tls: TlsClientSettings }): SettingsFault[] {
  const { cert_file: certFile, key_file: keyFile } = tls;
  if ((certFile === undefined) === (keyFile === undefined)) return [];
  const [given, missing] = certFile === undefined ? ['key_file', 'cert_file'] : ['cert_file', 'key_file'];
  return [{ path: ['tls', given], message: `is set without ${missing}: set both or neither` }];
}

/** Returns conflicts between exporters: sending without exactly one store, stores that share a folder, and loops to this collector. */
export function checkExportersTogether(settings: Settings): SettingsFault[] {
  return [
    ...checkPipelines(settings.service.pipelines),
    ...checkStores(settings),
    ...checkOwnReceivers(settings),
    ...checkFleet(settings),
  ];
}

function checkPipelines(pipelines: PipelinesSettings): SettingsFault[] {
  return Object.entries(pipelines).flatMap(([name, pipeline]) => {
    const sending = pipeline.exporters.filter((id) => !isStore(id));
    const message = sending.length === 0 ? undefined : storeConflict(name, pipeline, pipelines, sending);
    return message === undefined ? [] : [{ path: ['service', 'pipelines', name, 'exporters'], message }];
  });
}

function storeConflict(
  name: string,
  pipeline: PipelineSettings,
  pipelines: PipelinesSettings,
  sending: readonly string[],
): string | undefined {
  const stores = pipeline.exporters.filter(isStore);
  const [store] = stores;
  if (store === undefined) {
    return `${sending.join(' and ')} can only send events from a store: add the exporter store to this pipeline`;
  }
  if (stores.length > 1) {
    return `${sending.join(' and ')} must follow exactly one store, not ${stores.join(' and ')}: leave one store in this pipeline`;
  }
  for (const [other, { exporters }] of Object.entries(pipelines)) {
    if (other === name || !exporters.includes(store)) continue;
    const missing = sending.find((id) => !exporters.includes(id));
    if (missing === undefined) continue;
    return `${missing} would also send what pipeline ${other} stores in ${store}, which does not pass through this pipeline: add ${missing} to pipeline ${other}, or give one of them another store`;
  }
  for (const [other, { exporters }] of Object.entries(pipelines)) {
    if (other === name) continue;
    const shared = sending.find((id) => exporters.includes(id));
    const otherStore = exporters.find(isStore);
    if (shared === undefined || otherStore === undefined || otherStore === store) continue;
    return `${shared} can follow one store, but is in pipeline ${other} with ${otherStore} and here with ${store}: configure a second one, for example ${parseComponentId(shared).type}/${other}`;
  }
  return undefined;
}

/** Whether an id is that of an exporter `store`. */
export function isStore(id: string): boolean {
  return parseComponentId(id).type === 'store';
}

/** Returns running stores with the folder of another store: a folder has one writer. */
function checkStores({ exporters, service }: Pick<Settings, 'exporters' | 'service'>): SettingsFault[] {
  const running = new Set(Object.values(service.pipelines).flatMap((pipeline) => pipeline.exporters));
  const ownerOf = new Map<string, string>();
  return Object.entries(exporters).flatMap(([id, settings]) => {
    if (!running.has(id) || !hasSettingsType('store', id, settings)) return [];
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

/** As a destination, this machine; as an endpoint, all of its addresses. */
const UNSPECIFIED: readonly string[] = ['', '0.0.0.0', '::'];

/** Returns running `otlp_http` exporters that send to an `otlp` receiver of this collector, which would be a loop. */
function checkOwnReceivers(settings: Settings): SettingsFault[] {
  const { exporters, service } = settings;
  const running = new Set(Object.values(service.pipelines).flatMap((pipeline) => pipeline.exporters));
  const receivers = listeningSettings(settings).filter(({ path }) => path.at(-2) === 'http');
  return Object.entries(exporters).flatMap(([id, exporter]) => {
    if (!running.has(id) || !hasSettingsType('otlp_http', id, exporter)) return [];
    const key = exporter.logs_endpoint === undefined ? 'endpoint' : 'logs_endpoint';
    const url = new URL(exporter[key] ?? exporter.endpoint);
    const receiver = receivers.find(({ endpoint }) => reaches(url, endpoint));
    if (receiver === undefined) return [];
    const message = `is the receiver ${receiver.component} of this collector, so events would loop: name another collector`;
    return [{ path: ['exporters', id, key], message }];
  });
}

/** Returns partitions that do not exist, and exporters `nats` that send the events of a gateway back to its fleet. */
function checkFleet({ receivers, exporters, service }: Settings): SettingsFault[] {
  return Object.entries(receivers).flatMap(([id, receiver]) => {
    if (!hasSettingsType('nats', id, receiver) || !('own' in receiver)) return [];
    const { own, partitions, prefix } = receiver;
    const beyond = (own.match(/\d+/g) ?? []).map(Number).filter((one) => one >= partitions && !own.includes('ordinal'));
    const range = `names partition ${Math.max(...beyond)}, but the last one is ${partitions - 1}`;
    const unowned = beyond.length === 0 ? [] : [{ path: ['receivers', id, 'own'], message: range }];
    const loops = Object.values(service.pipelines).flatMap((pipeline) =>
      pipeline.receivers.includes(id) ? pipeline.exporters : [],
    );
    const back = loops.filter((name) => {
      const exporter = exporters[name];
      return exporter !== undefined && hasSettingsType('nats', name, exporter) && exporter.prefix === prefix;
    });
    const message = `has the prefix of receivers.${id} in the same pipeline, so events would loop: remove it, or use another prefix`;
    return [...unowned, ...[...new Set(back)].map((name) => ({ path: ['exporters', name, 'prefix'], message }))];
  });
}

function reaches(url: URL, endpoint: string): boolean {
  const { host, port } = parseEndpoint(endpoint);
  if (port === 0 || port !== portOf(url)) return false;
  const target = url.hostname.replace(/^\[|\]$/g, '');
  const isLocalTarget = isLoopbackHost(target) || UNSPECIFIED.includes(target);
  const isLocalEndpoint = isLoopbackHost(host) || UNSPECIFIED.includes(host);
  return (isLocalTarget && isLocalEndpoint) || target === host.toLowerCase();
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}
