import { resolve } from 'node:path';
import { parseComponentId } from '../../config/component-id.js';
import { areSettingsOf } from '../../config/component-settings.js';
import type { FoundFault } from '../../config/place-faults.js';
import type { ExportersSettings, PipelineSettings, PipelinesSettings, Settings } from '../../generated/settings.js';
import { checkOwnReceivers } from './check-own-receivers.js';
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
